// Relays one answer event by event from its source to the client, in the format of the client's API.
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
  proxy::maybe_failure why;                        // the reason why the answer was cut off
  std::optional<proxy::instant> first_written_at;  // the time when the kernel accepted the first bytes of the answer
};

// Runs work on another thread if it would block the event loop too long. Returns when the work is done.
using run_beside = std::function<boost::asio::awaitable<void>(std::function<void()> work)>;

// Relays the answer. All arguments must stay valid until the coroutine returns. Usually tokens are counted after the
// text was written. The text of a huge event is passed to the counting thread before it is written. `beside` runs slow
// work on another thread. If it is null, this thread does all work.
boost::asio::awaitable<relayed> relay(answer_source& from, answer_writer& writer, client_answer& to,
                                      answer_tokens& tokens, const proxy::alarms& clock,
                                      const run_beside* beside = nullptr);

}  // namespace photofinish::gateway
