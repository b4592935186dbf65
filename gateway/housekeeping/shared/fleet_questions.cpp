// Questions between gateways, and the scopes of answers: a part of fleet_keeping.
#include "gateway/housekeeping/shared/fleet_keeping.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {
constexpr std::chrono::milliseconds look_pause{10};  // until an answer is looked for again in memory
}  // namespace

std::string fleet_keeping::why_alone() const {
  if (!client_) return "this gateway alone: no redis is configured";
  const std::string trouble = client_->trouble().substr(0, client_->trouble().find(':'));
  if (trouble.empty()) return "this gateway alone: the store has not been read yet";
  return "this gateway alone: the store cannot be used (" + trouble + ")";
}

fleet_scope fleet_keeping::own_scope() const {
  fleet_scope scope{.gateway = name_, .members = {}};
  if (is_shared()) scope.members = members_;
  else scope.note = why_alone();
  if (client_ && !is_shared()) scope.alone_since = last_met_;
  for (fleet_member& each : scope.members) each.is_counted = each.name == name_;
  if (scope.members.empty()) scope.members.push_back({name_, true, true});
  return scope;
}

fleet_scope fleet_keeping::scope() const {
  if (!is_shared()) return own_scope();
  fleet_scope all;
  all.members = members_;
  for (fleet_member& each : all.members) each.is_counted = true;  // older versions share speeds also
  return all;
}

bool fleet_keeping::knows(const std::string& gateway) const {
  return gateway == name_ || names_.contains(gateway) || (client_ && !is_shared());
}

bool fleet_keeping::can_ask(const std::string& gateway) const {
  const auto is_it = [&](const fleet_asking::peer& each) { return each.name == gateway; };
  return gateway == name_ || (is_shared() && std::any_of(asking_.peers().begin(), asking_.peers().end(), is_it));
}

std::vector<std::pair<std::string, std::string>> fleet_keeping::other_figures() const {
  std::vector<std::pair<std::string, std::string>> all;
  if (!is_shared()) return all;
  for (const fleet_asking::peer& each : asking_.peers())
    if (const auto found = asking_.figures().find(each.run); found != asking_.figures().end())
      all.emplace_back(each.name, found->second);
  return all;
}

fleet_scope fleet_keeping::scope_of_figures() const {
  if (!is_shared()) return own_scope();
  fleet_answers known;
  known.pages = other_figures();
  cover(known, {});
  if (!known.scope.note.empty())
    known.scope.note = "the figures of a gateway are missing: it gives no sign of life, has just started, or is of an "
                       "older version";
  return std::move(known.scope);
}

// Old questions are removed: their askers have gone.
asio::awaitable<void> fleet_keeping::answer_questions() {
  const std::shared_ptr<store_client> client = client_;
  std::vector<store_command> commands;
  std::vector<std::string> heard;
  for (const fleet_question& each : std::exchange(others_, {})) {
    const bool is_own = each.id.starts_with(run_);
    const bool is_old = store_now() - each.at > fleet_commands::question_life;
    std::string page = is_own || is_old ? std::string() : ways_.receipt(each);
    if (!page.empty()) page = named_page(std::move(page), name_);
    const bool fits = page.size() <= fleet_commands::longest_answer;
    if (!is_own && fits) heard.push_back(each.id);
    if (!page.empty() && fits) commands.push_back(commands_.answer(each.id, page));
    if (is_old || !page.empty()) commands.push_back(commands_.remove_question(each.id));
  }
  for (const std::string& id : std::exchange(over_, {})) commands.push_back(commands_.remove_question(id));
  for (store_command& each : asking_.writes(store_now(), ways_.answer)) commands.push_back(std::move(each));
  for (const std::string& run : gone_) commands.push_back(commands_.leave(run));
  heard_.clear();
  if (!commands.empty()) {
    const store_client::commands make = [&commands](const script_names&) { return commands; };
    const auto said = co_await client->call(make);
    if (!said || client != client_) co_return;
  }
  heard_ = std::move(heard);
}

// Why the other gateways cannot be asked for a receipt now; empty: they can.
std::string fleet_keeping::why_no_question(const std::string& caller, bool sees_all) const {
  const auto is_callers = [&](const open_question& each) { return !sees_all && each.question.caller == caller; };
  if (!is_shared()) return why_alone();
  if (rounds_.is_stopping()) return "this gateway stops";
  const bool is_full = open_.size() >= most_asked;
  if (is_full || std::count_if(open_.begin(), open_.end(), is_callers) >= std::ptrdiff_t{most_of_caller})
    return "too many questions wait for the other gateways";
  return {};
}

asio::awaitable<fleet_receipt> fleet_keeping::receipt(std::string id, std::string caller, bool sees_all) {
  fleet_receipt found;
  const bool is_short = std::max(id.size(), caller.size()) <= fleet_commands::longest_text;
  if (!client_ || !is_short || (is_shared() && peers_.empty())) co_return found;
  found.trouble = why_no_question(caller, sees_all);
  if (!found.trouble.empty()) co_return found;
  open_question made;
  made.question = {run_ + "." + std::to_string(++asked_), std::move(id), std::move(caller), sees_all, store_now()};
  made.until = std::chrono::steady_clock::now() + patience;
  made.missing = peers_;
  const proxy::instant last = made.until + tick_;
  asio::steady_timer pause(loop_);
  boost::system::error_code ec;
  const auto mine = open_.insert(open_.end(), std::move(made));
  try {
    rounds_.wake();
    while (!mine->is_over && std::chrono::steady_clock::now() < last && !rounds_.is_stopping()) {
      pause.expires_after(look_pause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    }
    if (mine->is_sent && mine->page.empty()) over_.push_back(mine->question.id);
  } catch (...) {
    open_.erase(mine);  // otherwise its place among most_asked would be taken for ever
    throw;
  }
  const auto is_silent = [](const auto& who) { return who.second; };  // older versions answer only if they have it
  const bool is_whole = mine->is_sent && std::none_of(mine->missing.begin(), mine->missing.end(), is_silent);
  found.page = std::move(mine->page);
  if (found.page.empty() && !is_whole) found.trouble = "a gateway has not answered in time";
  open_.erase(mine);
  co_return found;
}

// The scope of what a query brought.
void fleet_keeping::cover(fleet_answers& answers, const std::string& only) const {
  answers.scope = fleet_scope{.gateway = only, .members = members_};
  const auto has_answered = [&](const std::string& name) {
    const auto is_its = [&](const auto& page) { return page.first == name; };
    return std::any_of(answers.pages.begin(), answers.pages.end(), is_its);
  };
  bool is_whole = true;
  for (fleet_member& each : answers.scope.members) {
    each.is_counted = (only.empty() && each.name == name_) || has_answered(each.name);
    is_whole &= each.is_counted;
  }
  const auto is_silent = [](const fleet_member& each) { return !each.is_running; };
  const bool has_silent = std::any_of(members_.begin(), members_.end(), is_silent);
  if (only.empty() && !is_whole)
    answers.scope.note = has_silent ? "a gateway gives no sign of life or has not answered: its part is missing"
                                    : "a gateway has not answered, or is of an older version: its part is missing";
  add_name_note(answers.scope, only);
  if (only.empty() || !answers.pages.empty()) return;
  answers.scope.is_unknown = !knows(only);
  answers.scope.is_unread = !answers.scope.is_unknown;
  answers.scope.note = can_ask(only) ? "no answer in time" : "it gives no sign of life, or is of an older version";
}

asio::awaitable<fleet_answers> fleet_keeping::ask(fleet_query what) {
  const std::string only = what.gateway;
  fleet_answers alone;
  alone.scope = own_scope();
  alone.scope.is_unknown = !only.empty() && !knows(only);
  alone.scope.is_unread = !only.empty() && only != name_ && !alone.scope.is_unknown;
  if (only == name_) {
    alone.scope.note.clear();
    alone.scope.alone_since.reset();
  }
  if (only == name_ || !is_shared() || rounds_.is_stopping() || alone.scope.is_unknown) co_return alone;
  alone.scope.note = std::string(only.empty() ? "this gateway alone: " : "") +
                     "too many queries wait for the other gateways";
  if (!asking_.has_room_for(what)) co_return alone;
  const auto mine = asking_.open(std::move(what), store_now());
  const proxy::instant last = std::chrono::steady_clock::now() + patience;
  asio::steady_timer pause(loop_);
  boost::system::error_code ec;
  try {
    if (!fleet_asking::is_answered(mine)) rounds_.wake();
    while (!fleet_asking::is_answered(mine) && std::chrono::steady_clock::now() < last && !rounds_.is_stopping()) {
      pause.expires_after(look_pause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
    }
  } catch (...) {
    asking_.close(mine);  // otherwise it would take a place among most_open for ever
    throw;
  }
  fleet_answers all = asking_.close(mine);
  cover(all, only);
  co_return all;
}

}  // namespace photofinish::gateway
