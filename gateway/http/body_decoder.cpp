#include "gateway/http/body_decoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace photofinish::gateway {
namespace {

constexpr int window_bits = 15;  // the maximum size of zlib's window
constexpr int gzip_wrapper = 16;

// True if the data starts with a zlib header. "deflate" means the zlib format (RFC 9110, section 8.4.1.2), but some
// clients leave out the header.
bool has_zlib_header(std::string_view encoded) {
  if (encoded.size() < 2) return false;
  const unsigned first = static_cast<unsigned char>(encoded[0]), second = static_cast<unsigned char>(encoded[1]);
  return (first & 15u) == Z_DEFLATED && (first * 256 + second) % 31 == 0;
}

int window_for(content_coding coding, std::string_view encoded) {
  if (coding == content_coding::gzip) return window_bits + gzip_wrapper;
  return has_zlib_header(encoded) ? window_bits : -window_bits;
}

std::optional<content_coding> coding_called(std::string_view word) {
  if (proxy::equals_ignoring_case(word, "gzip")) return content_coding::gzip;
  if (proxy::equals_ignoring_case(word, "deflate")) return content_coding::deflate;
  if (word.empty() || proxy::equals_ignoring_case(word, "identity")) return content_coding::identity;
  return std::nullopt;
}

}  // namespace

std::optional<content_coding> read_content_coding(std::span<const proxy::header_field> fields) {
  content_coding found = content_coding::identity;
  for (const auto& [name, value] : fields) {
    if (!proxy::equals_ignoring_case(name, "content-encoding")) continue;
    std::string_view list = value;
    for (std::string_view each; proxy::next_list_member(list, each);) {
      const std::optional<content_coding> coding = coding_called(each);
      if (!coding) return std::nullopt;
      if (*coding == content_coding::identity) continue;
      if (found != content_coding::identity) return std::nullopt;
      found = *coding;
    }
  }
  return found;
}

body_decoder::body_decoder(content_coding coding, std::string encoded, std::size_t max_bytes)
    : coding_(coding), encoded_(std::move(encoded)), max_bytes_(max_bytes), stream_(std::make_unique<z_stream>()) {
  if (inflateInit2(stream_.get(), window_for(coding_, encoded_)) != Z_OK) throw std::bad_alloc();
}

body_decoder::~body_decoder() { inflateEnd(stream_.get()); }

body_decoder::progress body_decoder::step() {
  const std::size_t before = decoded_.size();
  // Reserves room for the largest allowed body and one more byte. If this additional byte is written, the decoded body
  // exceeds the limit.
  const std::size_t room = std::min(step_out_bytes, max_bytes_ - before + 1);
  const std::size_t given = std::min(step_in_bytes, encoded_.size() - consumed_);
  decoded_.resize(before + room);
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(encoded_.data()) + consumed_);
  stream_->avail_in = static_cast<uInt>(given);
  stream_->next_out = reinterpret_cast<Bytef*>(decoded_.data() + before);
  stream_->avail_out = static_cast<uInt>(room);
  const int said = inflate(stream_.get(), Z_NO_FLUSH);
  const std::size_t read = given - stream_->avail_in, written = room - stream_->avail_out;
  consumed_ += read;
  decoded_.resize(before + written);
  return after(said, read + written);
}

body_decoder::progress body_decoder::after(int said, std::size_t moved) {
  if (decoded_.size() > max_bytes_) return progress::too_large;
  if (said == Z_STREAM_END) {
    if (consumed_ == encoded_.size()) return progress::done;
    return begin_next_member() ? progress::more : progress::damaged;
  }
  if (said != Z_OK && said != Z_BUF_ERROR) return progress::damaged;
  return moved > 0 ? progress::more : progress::damaged;  // incomplete data counts as damaged data
}

// Starts to decode the next member. Only gzip data may consist of several members, one after another (RFC 1952, section
// 2.2).
bool body_decoder::begin_next_member() {
  return coding_ == content_coding::gzip && inflateReset(stream_.get()) == Z_OK;
}

}  // namespace photofinish::gateway
