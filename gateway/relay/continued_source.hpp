// The rest of an answer after another target has continued it. To the client, it looks as if the first target had
// written it. It contains only text, in the format of the earlier chunks.
#pragma once

#include "gateway/api/chat/chat_chunks.hpp"
#include "gateway/relay/answer_prefix.hpp"
#include "gateway/relay/answer_source.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

// The format in which chunks are written for a client of OpenAI's chat API. It is needed if the client got the earlier
// chunks exactly as the provider wrote them.
struct continued_chunks {
  answer_prefix::chunk_members members;
  bool shows_usage = false;
};

class continued_source final : public answer_source {
 public:
  // `from` must outlive this object. If `chunks` is null, the events contain only deltas, from which the events for the
  // client's API are made.
  continued_source(answer_source& from, continued_text before, const continued_chunks* chunks);

  std::optional<proxy::result<proxy::stream_event>> poll() override;
  bool may_have_event() const override { return next_ < ready_.size() || from_.may_have_event(); }
  boost::asio::awaitable<void> readable() override { return from_.readable(); }
  std::optional<proxy::result<proxy::stream_event>> read() override;

 private:
  struct ready_event {
    proxy::event_kind kind = proxy::event_kind::progress;
    std::optional<proxy::delta> said;
    std::string chunk;  // the event's JSON; if empty, only the deltas are used
    bool has_usage = false;
    std::string_view piece = {};  // a view of `chunk`; it is set when `chunk` has reached its final address
  };

  std::optional<proxy::result<proxy::stream_event>> taken(std::optional<proxy::result<proxy::stream_event>> event);
  proxy::result<void> take(const proxy::stream_event& event);
  void say(const proxy::delta& what, proxy::event_kind kind);
  proxy::stream_event next();
  std::string_view without_repetition(std::string_view text);
  std::string_view without_cut(std::string_view text);

  answer_source& from_;
  continued_text before_;
  std::size_t repeated_ = 0;  // the number of bytes at the beginning of `given` that the target has repeated
  bool may_repeat_ = true;
  std::size_t cut_seen_ = 0;  // the number of bytes of white space in `cut` that the target has also sent
  bool may_say_cut_ = true;
  std::optional<continued_chunks> chunks_;
  proxy::token_usage usage_;
  bool has_usage_ = false;

  std::vector<ready_event> ready_;
  std::size_t next_ = 0;
  proxy::instant read_at_{};
  std::string held_;  // text that might be a repetition of the text to continue, and has turned out to be new
};

}  // namespace photofinish::gateway
