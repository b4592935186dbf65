#include "gateway/relay/client_answer.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <charconv>

namespace photofinish::gateway {

using namespace std::string_view_literals;

namespace {

constexpr std::size_t kept_batch = 256u << 10;

std::string_view hex(std::size_t value, std::array<char, 24>& space) {
  auto [end, error] = std::to_chars(space.data(), space.data() + 16, value, 16);
  *end++ = '\r', *end++ = '\n';
  return {space.data(), static_cast<std::size_t>(end - space.data())};
}

void append_chunk(std::string& out, std::string_view bytes, bool is_chunked) {
  std::array<char, 24> space;
  if (is_chunked) out += hex(bytes.size(), space);
  out += bytes;
  if (is_chunked) out += "\r\n"sv;
}

// Returns a comment with the line end that the client needs. Returns other events unchanged.
std::string_view ended_as(comment_end end, std::string_view text) {
  const bool is_cut = end == comment_end::line_end && text.starts_with(':') && text.ends_with("\n\n"sv);
  return is_cut ? text.substr(0, text.size() - 1) : text;
}

std::string_view chunk_end(bool is_last) { return is_last ? "\r\n0\r\n\r\n"sv : "\r\n"sv; }

}  // namespace

client_answer::client_answer(client_connection& client, std::string& batch, answer_form form, response_style style,
                             proxy::memory_share memory)
    : client_(client),
      style_(style),
      form_(form),
      is_chunked_(!style.is_http_1_0),
      out_(batch),
      held_(std::move(memory)) {}

void client_answer::begin(const header_fields& fields, std::string_view content_type) {
  if (is_streamed()) {
    pending_ = stream_head(fields, style_, content_type.empty() ? event_stream : content_type);
    return;
  }
  fields_ = fields;
  type_ = content_type.empty() ? "application/json" : content_type;
}

void client_answer::begin_early(const header_fields& fields) {
  has_begun_ = has_begun_early_ = true;
  client_.write_aside(stream_head(fields, style_));
}

void client_answer::send_keepalive(std::string_view event) {
  std::string chunk;
  append_chunk(chunk, ended_as(style_.comments, event), is_chunked_);
  client_.write_aside(chunk);
}

void client_answer::comment(std::string_view text) {
  append_chunk(pending_, ended_as(style_.comments, ": " + std::string(text) + "\n\n"), is_chunked_);
}

void client_answer::add_field(std::string_view name, std::string_view value) {
  if (!is_streamed() && !has_begun()) fields_.add(name, value);
}

void client_answer::continued_by(std::string_view target) {
  if (is_of_events()) return comment("race continued-by=" + std::string(target));
  add_field("x-race-continued-by", target);
}

void client_answer::start(bool is_last) {
  if (out_.size() == 0 && pending_.empty() && !is_last) return;
  const bool is_long = !out_.long_text().empty() || out_.batch().size() > kept_batch;
  if (!is_streamed()) start_whole();
  else if (is_long) start_long(is_last);
  else start_streamed(is_last);
  forget_pending();
  has_begun_ = has_begun_ || !client_.has_left();  // if the client has left, the write fails, and the caller then
                                                   // notices it
}

void client_answer::start_streamed(bool is_last) {
  std::array<char, 24> space;
  boost::container::small_vector<std::string_view, 12> pieces;
  if (!pending_.empty()) pieces.push_back(pending_);
  if (out_.size() > 0) {
    if (is_chunked_) pieces.push_back(hex(out_.size(), space));
    if (!out_.batch().empty()) pieces.push_back(out_.batch());
    pieces.insert(pieces.end(), out_.pieces().begin(), out_.pieces().end());
    if (is_chunked_) pieces.push_back(chunk_end(is_last));
  } else if (is_last && is_chunked_) {
    pieces.push_back("0\r\n\r\n"sv);
  }
  client_.start_write(pieces);
}

// Starts to write a long text. The text is not copied into the worker's buffer, because the buffer would then stay
// large permanently.
void client_answer::start_long(bool is_last) {
  std::array<char, 24> space;
  std::array<std::string_view, 2> pieces{pending_};
  if (is_chunked_) pieces[1] = hex(out_.size(), space);
  client_.start_write(pieces);
  proxy::long_text text = out_.take();
  if (is_chunked_) text.append(chunk_end(is_last));
  client_.start_write_of(std::move(text));
}

// Starts to write a complete answer. A short answer is joined with its head and written together with it. A long answer
// is not copied, but written after its head.
void client_answer::start_whole() {
  const std::string head = whole_head(200, type_, out_.size(), fields_, style_);
  const bool is_short = out_.batch().size() == out_.size() && out_.size() <= proxy::memory_share::step;
  const std::array<std::string_view, 2> pieces{head, is_short ? std::string_view(out_.batch()) : std::string_view()};
  client_.start_write(pieces);
  held_.shrink_to(is_short ? 0 : out_.size());
  if (!is_short) client_.start_write_of(out_.take(), std::move(held_));
}

void client_answer::forget_pending() {
  if (pending_.empty()) return;
  pending_.clear();
  pending_.shrink_to_fit();  // frees the memory of the head, because the head is not sent again and the stream may take
                             // minutes
}

}  // namespace photofinish::gateway
