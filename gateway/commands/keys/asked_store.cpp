#include "gateway/commands/keys/asked_store.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>

#include <ostream>
#include <utility>
#include <vector>

namespace photofinish::gateway {

int complain_to(std::ostream& err, const std::string& what, int exit_code) {
  err << "error: " << proxy::shown_text(what) << "\n";
  return exit_code;
}

asked_store::~asked_store() {
  client_.cancel();
  net_.stop();
  loop_.restart();
  loop_.run();
}

std::optional<store_reply> asked_store::ask(store_command command) {
  std::optional<store_link::replies> said;
  const auto take = [&](const std::exception_ptr& bug, std::optional<store_link::replies> got) {
    if (bug) proxy::report_bug("a call to the store", bug);
    said = std::move(got);
    loop_.stop();  // stops the event loop without waiting for the call's timers
  };
  const store_client::commands make = [&command](const script_names&) { return std::vector<store_command>{command}; };
  spdlog::set_level(spdlog::level::off);  // silences the log, because the command prints the store's problems itself
  proxy::spawn(loop_, "a call to the store", client_.call(make), take);
  loop_.restart();
  loop_.run();
  if (!said) return complain_to(err_, "the store cannot be used: " + client_.trouble()), std::nullopt;
  store_reply reply = std::move(said->front());
  if (reply.kind != reply_kind::error) return reply;
  complain_to(err_, "the store refused the command: " + reply.text);
  return std::nullopt;
}

}  // namespace photofinish::gateway
