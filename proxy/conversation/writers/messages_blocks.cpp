#include "proxy/conversation/writers/messages_blocks.hpp"

#include "proxy/failures/sanitized_text.hpp"
#include "proxy/json/base64.hpp"
#include "proxy/json/values/data_url.hpp"

namespace photofinish::proxy {
namespace {

constexpr std::string_view pdf = "application/pdf";

std::string base64_source(std::string_view quoted_type, std::string_view raw_data) {
  std::string source = R"("source":{"type":"base64","media_type":)";
  return source.append(quoted_type).append(R"(,"data":")").append(raw_data).append("\"}");
}

std::string url_source(std::string_view quoted_url) {
  return std::string(R"("source":{"type":"url","url":)").append(quoted_url).append("}");
}

// Where a block says it is, or a URL that holds it.
inline_media media_of(const block& each) {
  if (const auto held = read_data_url(json_raw_string(each.media.data))) return *held;
  if (const auto held = read_data_url(json_raw_string(each.media.url))) return *held;
  const std::string_view data = json_raw_string(each.media.data);
  if (!each.media.data.empty()) return {media_type_of(json_raw_string(each.media.type), data), data};
  return {};
}

std::string unsaid(std::string_view what, translated_text& form) {
  form.unsupported = what;
  return {};
}

std::string image_block(const block& each, translated_text& form) {
  constexpr std::string_view begin = R"({"type":"image",)";
  const inline_media media = media_of(each);
  if (!media.data.empty() && media.media_type.empty()) return unsaid("content.image.media_type", form);
  if (!media.data.empty())
    return std::string(begin) + base64_source(json_quote(media.media_type), media.data) + "}";
  if (is_web_address(json_raw_string(each.media.url))) return std::string(begin) + url_source(each.media.url) + "}";
  return unsaid(each.media.file_id.empty() ? "content.image.url" : "content.image.file_id", form);
}

// Text goes as text: only PDF may be base64.
std::string document_source(const block& each, translated_text& form) {
  const inline_media media = media_of(each);
  const std::string& type = media.media_type;
  if (!media.data.empty() && type.starts_with("text/")) {
    const std::string text = base64_decoded(json_unescape(media.data));
    return R"("source":{"type":"text","media_type":"text/plain","data":)" + json_quote(valid_utf8(text)) + "}";
  }
  if (!media.data.empty() && (type.empty() || type == pdf)) return base64_source(json_quote(pdf), media.data);
  if (!each.text.empty())
    return std::string(R"("source":{"type":"text","media_type":"text/plain","data":)").append(each.text).append("}");
  if (is_web_address(json_raw_string(each.media.url))) return url_source(each.media.url);
  return unsaid(!media.data.empty() ? "content.document.media_type"
                : each.media.file_id.empty() ? "content.document" : "content.document.file_id", form);
}

std::string document_block(const block& each, translated_text& form) {
  std::string source = document_source(each, form);
  if (source.empty()) return {};
  std::string block = R"({"type":"document",)" + source;
  if (json_is_string(each.media.title)) block.append(R"(,"title":)").append(each.media.title);
  return block.append("}");
}

}  // namespace

std::string media_block(const block& each, translated_text& form) {
  if (each.kind == block_kind::image) return image_block(each, form);
  if (each.kind == block_kind::document) return document_block(each, form);
  return unsaid(each.kind == block_kind::audio ? "content.audio" : "content", form);
}

}  // namespace photofinish::proxy
