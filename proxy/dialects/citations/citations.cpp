#include "proxy/dialects/citations/citations.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>

namespace photofinish::proxy {
namespace {

constexpr std::string_view cites_url = "url_citation";

std::uint64_t place_of(std::string_view number) {
  return std::min<std::uint64_t>(parse_leading_number<std::uint64_t>(number).value_or(0), 1u << 30);
}

std::string text_of(std::string_view value) {
  return json_is_string(value) ? json_unescape(json_raw_string(value)) : std::string();
}

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

std::string number_member(std::string_view name, std::uint64_t number) {
  return ",\"" + std::string(name) + "\":" + std::to_string(number);
}

// Returns the source of a citation from one of Gemini's grounding chunks. The chunk's member for the source depends on
// the kind of search: the web, maps, or the customer's own data.
object_members source_in(std::string_view chunk) {
  const object_members members(chunk);
  for (const std::string_view kind : {"web", "maps", "retrievedContext"})
    if (json_is_object(members[kind])) return object_members(members[kind]);
  return object_members(std::string_view{});
}

text_range range_of(const object_members& segment, const text_places& places) {
  const std::uint64_t begin = places.characters_before(place_of(segment["startIndex"]));
  const std::uint64_t end = places.characters_before(place_of(segment["endIndex"]));
  return {std::min(begin, end), end};
}

// Adds the citations for one range of the answer's text. Each source of this range becomes a citation.
void add_support(const object_members& support, const std::vector<std::string_view>& sources, const text_places& places,
                 std::vector<std::string>& into) {
  const text_range where = range_of(object_members(support["segment"]), places);
  for (const std::string_view each : json_elements(support["groundingChunkIndices"])) {
    const std::uint64_t at = place_of(each);
    if (at >= sources.size() || into.size() >= most_citations) continue;
    const object_members source = source_in(sources[at]);
    const std::string url = text_of(source["uri"]);
    if (!url.empty()) into.push_back(url_citation(url, text_of(source["title"]), where));
  }
}

void add_recited(std::string_view recited, const text_places& places, std::vector<std::string>& into) {
  const object_members members(recited);
  const std::string_view list = json_is_array(members["citations"]) ? members["citations"] : members["citationSources"];
  for (const std::string_view each : json_elements(list)) {
    const object_members source(each);
    const std::string url = text_of(source["uri"]);
    if (!url.empty() && into.size() < most_citations)
      into.push_back(url_citation(url, text_of(source["title"]), range_of(source, places)));
  }
}

}  // namespace

std::string url_citation(std::string_view url, std::string_view title, text_range where) {
  std::string json = R"({"type":"url_citation")";
  json.append(number_member("start_index", where.begin)).append(number_member("end_index", where.end));
  json.append(R"(,"url":)").append(json_quote(url)).append(R"(,"title":)").append(json_quote(title));
  return json.append("}");
}

std::uint64_t characters_in(std::string_view text) {
  const auto begins_one = [](char each) { return (static_cast<unsigned char>(each) & 0xC0) != 0x80; };
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), begins_one));
}

std::optional<std::string> chat_annotation(std::string_view citation) {
  const object_members members(citation);
  if (members.word("type") != cites_url) return std::nullopt;
  std::string inside;
  for (const json_member& each : members.all())
    if (!json_key_is(each.raw_key, "type")) inside.append(inside.empty() ? "" : ",").append(each.whole);
  return R"({"type":"url_citation","url_citation":{)" + inside + "}}";
}

std::optional<std::string> citation_of_annotation(std::string_view annotation) {
  const object_members members(annotation);
  const object_members inside(members.word("type") == cites_url ? members["url_citation"] : std::string_view{});
  const std::string url = text_of(inside["url"]);
  if (url.empty()) return std::nullopt;
  return url_citation(url, text_of(inside["title"]), {place_of(inside["start_index"]), place_of(inside["end_index"])});
}

std::string moved_citation(std::string_view citation, std::int64_t by) {
  if (by == 0) return std::string(citation);
  std::string json = "{";
  for (const json_member& member : json_members(citation)) {
    if (json.size() > 1) json += ",";
    const bool is_place = json_key_is(member.raw_key, "start_index") || json_key_is(member.raw_key, "end_index");
    if (!is_place) {
      json += member.whole;
      continue;
    }
    const std::int64_t moved = static_cast<std::int64_t>(place_of(member.value)) + by;
    json.append("\"").append(member.raw_key).append("\":").append(std::to_string(std::max<std::int64_t>(moved, 0)));
  }
  return json.append("}");
}

std::optional<std::string> citation_of_claude(std::string_view citation, text_range where) {
  const object_members members(citation);
  std::string url = text_of(members["url"]);
  if (std::string source = text_of(members["source"]); url.empty() && is_url(source)) url = std::move(source);
  if (!url.empty()) return url_citation(url, text_of(members["title"]), where);
  if (text_of(members["file_id"]).empty()) return std::nullopt;
  return R"({"type":"file_citation","file_id":)" + std::string(members["file_id"]) + R"(,"filename":)" +
         json_quote(text_of(members["document_title"])) + number_member("index", where.end) + "}";
}

std::optional<std::string> citation_of_converse(std::string_view citation, text_range where) {
  const object_members members(citation);
  const object_members location(members["location"]), web(location["web"]);
  std::string url = text_of(web["url"]);
  if (std::string source = text_of(members["source"]); url.empty() && is_url(source)) url = std::move(source);
  if (url.empty()) return std::nullopt;
  return url_citation(url, text_of(members["title"]), where);
}

void text_places::add(std::string_view text) {
  const std::uint64_t characters = characters_in(text);
  if (characters != text.size()) {
    pieces_.push_back({bytes_, characters_, std::string(text)});
    held_ += text.size() + sizeof(piece);
  }
  bytes_ += text.size();
  characters_ += characters;
}

std::uint64_t text_places::characters_before(std::uint64_t byte) const {
  const std::uint64_t wanted = std::min(byte, bytes_);
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), wanted,
                                      [](std::uint64_t at, const piece& each) { return at < each.byte; });
  if (after == pieces_.begin()) return wanted;
  const piece& last = *std::prev(after);
  const std::uint64_t inside = wanted - last.byte;
  if (inside <= last.text.size()) return last.character + characters_in(std::string_view(last.text).substr(0, inside));
  return last.character + characters_in(last.text) + (inside - last.text.size());
}

std::vector<std::string> citations_of_gemini(std::string_view grounding, std::string_view recited,
                                             const text_places& places) {
  std::vector<std::string> all;
  std::vector<std::string_view> sources;
  const object_members members(grounding);
  for (const std::string_view each : json_elements(members["groundingChunks"])) {
    if (sources.size() >= most_citations) break;
    sources.push_back(each);
  }
  for (const std::string_view each : json_elements(members["groundingSupports"]))
    add_support(object_members(each), sources, places, all);
  add_recited(recited, places, all);
  return all;
}

}  // namespace photofinish::proxy
