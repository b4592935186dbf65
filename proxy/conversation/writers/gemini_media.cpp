#include "proxy/conversation/writers/gemini_media.hpp"

#include "proxy/json/values/data_url.hpp"

#include <array>

namespace photofinish::proxy {
namespace {

struct known_ending {
  std::string_view ending;
  std::string_view type;
};

// Of a URL's path. Vertex refuses a file without its type.
constexpr std::array<known_ending, 17> endings{{{".png", "image/png"},
                                                {".jpg", "image/jpeg"},
                                                {".jpeg", "image/jpeg"},
                                                {".webp", "image/webp"},
                                                {".gif", "image/gif"},
                                                {".heic", "image/heic"},
                                                {".heif", "image/heif"},
                                                {".pdf", "application/pdf"},
                                                {".txt", "text/plain"},
                                                {".md", "text/plain"},
                                                {".csv", "text/csv"},
                                                {".html", "text/html"},
                                                {".wav", "audio/wav"},
                                                {".mp3", "audio/mpeg"},
                                                {".mp4", "video/mp4"},
                                                {".mov", "video/quicktime"},
                                                {".webm", "video/webm"}}};

std::string_view type_by_ending(std::string_view raw_url) {
  const std::string own = file_ending_in(raw_url);
  for (const auto& [ending, type] : endings)
    if (own == ending) return type;
  return {};
}

// `data` is the inside of a JSON string, and stays so.
void append_inline(std::string_view type, std::string_view data, std::string& out) {
  out.append(R"("inlineData":{"mimeType":)").append(json_quote(type));
  out.append(R"(,"data":")").append(data).append(R"("})");
}

// OpenAI names a format alone.
std::string sound_type(const std::string& format) {
  return format.find('/') == std::string::npos ? "audio/" + format : format;
}

// The type is the client's, that of the file's name, or that of its bytes. Gives what is missing.
std::string_view append_data(const block& each, std::string type, std::string_view data, std::string& out) {
  const bool is_document = each.kind == block_kind::document;
  if (type.empty() && is_document) type = type_by_ending(json_raw_string(each.media.title));
  if (type.empty()) type = sniffed_media_type(data);
  if (type.empty() && is_document) type = "application/pdf";  // as Claude's and Bedrock's forms do
  if (type.empty()) return each.kind == block_kind::image ? "content.image.media_type" : "content.audio";
  append_inline(each.kind == block_kind::audio ? sound_type(type) : type, data, out);
  return {};
}

}  // namespace

std::string_view append_gemini_media(const block& each, std::string& out) {
  const std::string_view url = json_raw_string(each.media.url);
  const std::string_view data = json_raw_string(each.media.data);
  if (const auto held = read_data_url(data)) return append_data(each, held->media_type, held->data, out);
  if (is_data_url(data)) return "content.file_data";
  if (!each.media.data.empty()) return append_data(each, media_type_in(json_raw_string(each.media.type)), data, out);
  if (const auto held = read_data_url(url)) return append_data(each, held->media_type, held->data, out);
  if (is_data_url(url)) return "content.image_url";
  if (url.empty()) return each.media.file_id.empty() ? "content" : "content.file_id";
  if (!is_absolute_address(url))
    return each.kind == block_kind::document ? "content.document.url" : "content.image.url";
  out += R"("fileData":{)";
  if (const auto type = type_by_ending(url); !type.empty()) out.append(R"("mimeType":")").append(type).append("\",");
  out.append(R"("fileUri":")").append(url).append(R"("})");
  return {};
}

}  // namespace photofinish::proxy
