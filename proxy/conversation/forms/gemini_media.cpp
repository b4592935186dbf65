#include "proxy/conversation/forms/gemini_media.hpp"

#include <array>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view data_scheme = "data:";
constexpr std::string_view base64_mark = ";base64,";
constexpr std::size_t longest_media_type = 128;  // RFC 6838: 127 for either half, and none comes near it

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

std::string_view type_by_ending(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  for (const auto& [ending, type] : endings)
    if (path.ends_with(ending)) return type;
  return {};
}

// All of these are the insides of JSON strings, and stay so.
void append_inline(std::string_view type, std::string_view data, std::string& out) {
  if (type == "image/jpg") type = "image/jpeg";  // what clients often say, and Gemini refuses
  out.append(R"("inlineData":{"mimeType":")").append(type).append(R"(","data":")").append(data).append(R"("})");
}

// "data:image/png;base64,AAAA" or with parameters between; false where it is another encoding.
bool append_data_url(std::string_view url, std::string& out) {
  url.remove_prefix(data_scheme.size());
  const std::size_t mark = url.substr(0, longest_media_type + base64_mark.size()).find(base64_mark);
  if (mark == std::string_view::npos) return false;
  const std::string_view type = url.substr(0, mark);
  append_inline(type.substr(0, type.find(';')), url.substr(mark + base64_mark.size()), out);
  return true;
}

// OpenAI names a format alone.
std::string sound_type(std::string_view format) {
  return format.find('/') == std::string_view::npos ? "audio/" + std::string(format) : std::string(format);
}

bool append_data(const block& each, std::string& out) {
  const std::string_view data = json_raw_string(each.data);
  const std::string_view type = json_raw_string(each.media_type);
  if (data.starts_with(data_scheme)) return append_data_url(data, out);
  if (type.empty()) return false;
  append_inline(each.kind == block_kind::audio ? sound_type(type) : std::string(type), data, out);
  return true;
}

}  // namespace

std::string_view append_gemini_media(const block& each, std::string& out) {
  const std::string_view url = json_raw_string(each.url);
  if (!each.data.empty()) return append_data(each, out) ? std::string_view{} : "content.file_data";
  if (url.starts_with(data_scheme)) return append_data_url(url, out) ? std::string_view{} : "content.image_url";
  if (url.empty()) return each.file_id.empty() ? "content" : "content.file_id";
  out += R"("fileData":{)";
  if (const auto type = type_by_ending(url); !type.empty()) out.append(R"("mimeType":")").append(type).append("\",");
  out.append(R"("fileUri":")").append(url).append(R"("})");
  return {};
}

}  // namespace photofinish::proxy
