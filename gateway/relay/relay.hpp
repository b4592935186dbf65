// Passes one answer on, event by event: from where it comes, in the words of the client's API, to the client.
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/relay/answer_source.hpp"
#include "gateway/relay/answer_tokens.hpp"
#include "gateway/relay/client_answer.hpp"
#include "proxy/loop/alarms.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>

namespace photofinish::gateway {

enum class answer_end { complete, truncated, client_left };

struct relayed {
  answer_end end = answer_end::complete;
  proxy::maybe_failure why;                        // of a truncated one
  std::optional<proxy::instant> first_written_at;  // the first bytes handed to the kernel
};

// Does work that would hold the loop too long on another thread, and returns when it is done.
using run_beside = std::function<boost::asio::awaitable<void>(std::function<void()> work)>;

// All are borrowed until it returns. The text is counted once it has been written; that of a giant event before,
// because it is counted elsewhere. Without `beside` all is done here.
boost::asio::awaitable<relayed> relay(answer_source& from, answer_writer& writer, client_answer& to,
                                      answer_tokens& tokens, const proxy::alarms& clock,
                                      const run_beside* beside = nullptr);

}  // namespace photofinish::gateway
