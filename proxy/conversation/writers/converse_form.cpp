#include "proxy/conversation/writers/converse_form.hpp"

#include "proxy/conversation/output_schema.hpp"
#include "proxy/conversation/writers/alternating_turns.hpp"
#include "proxy/conversation/writers/form_writer.hpp"
#include "proxy/json/base64.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr character_set converse_id_letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:"};
constexpr std::size_t longest_id = 64;

// In Converse, a request may have at most four cache points. Further cache marks are omitted.
constexpr std::size_t most_cache_points = 4;

constexpr std::string_view text_beside = R"("Documents:")";
constexpr std::string_view empty_result = R"({"text":"No output."})";

constexpr character_set name_letters{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-()[] "};
// The maximum length of a document's name before a number is appended to make it unique. Converse permits 200
// characters in total.
constexpr std::size_t longest_file_name = 180;

struct converse_format {
  std::string_view type;    // the format's name in media types and in OpenAI's APIs
  std::string_view ending;  // the file name extension
  std::string_view word;    // Converse's name for the format, such as "png"
};

constexpr std::array<converse_format, 5> images{{{"image/png", ".png", "png"},
                                              {"image/jpeg", ".jpg", "jpeg"},
                                              {"image/jpg", ".jpeg", "jpeg"},
                                              {"image/gif", ".gif", "gif"},
                                              {"image/webp", ".webp", "webp"}}};

constexpr std::array<converse_format, 9> documents{
    {{"application/pdf", ".pdf", "pdf"},
     {"text/csv", ".csv", "csv"},
     {"text/html", ".html", "html"},
     {"text/markdown", ".md", "md"},
     {"application/msword", ".doc", "doc"},
     {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx", "docx"},
     {"application/vnd.ms-excel", ".xls", "xls"},
     {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", "xlsx"},
     {"text/plain", ".txt", "txt"}}};

constexpr std::array<converse_format, 6> sounds{{{"wav", ".wav", "wav"},
                                              {"mp3", ".mp3", "mp3"},
                                              {"flac", ".flac", "flac"},
                                              {"opus", ".opus", "opus"},
                                              {"aac", ".aac", "aac"},
                                              {"ogg", ".ogg", "ogg"}}};

template <std::size_t count>
std::string_view word_for(const std::array<converse_format, count>& among, std::string_view type,
                          std::string_view ending) {
  for (const converse_format& each : among)
    if (each.type == type || (type.empty() && ending == each.ending)) return each.word;
  return {};
}

// Describes whether the client set cache marks, and whether the request contains them.
enum class cache_marks { none, written, left_out };

// Writes the turns for Converse. A block with a cache mark gets a member `cachePoint`, which only some models accept.
// Later, Bedrock's dialect moves the cache point into a separate block or removes it (converse_request.hpp).
class converse_turns final : public alternating_turns {
 public:
  converse_turns(const conversation& said, translated_text& form)
      : alternating_turns(said, form, {converse_id_letters, longest_id}) {}

  cache_marks marks() const {
    if (marks_ > most_cache_points) return cache_marks::left_out;
    return marks_ > 0 ? cache_marks::written : cache_marks::none;
  }

 private:
  std::string text_block(std::string_view text, const block& of) override {
    has_text_ = true;
    return std::string(R"({"text":)").append(text).append(cache_point(of)).append("}");
  }

  // Returns a member `cachePoint` for a block with a cache mark. Returns nothing for a part of a tool result, because
  // only the whole result can have a cache point. The result gets the cache point instead.
  std::string_view cache_point(const block& of) {
    const bool is_marked = !of.cache_mark.empty();
    is_result_marked_ |= is_in_result_ && is_marked;
    return is_marked && !is_in_result_ ? next_cache_point() : std::string_view();
  }
  std::string_view next_cache_point() {
    return ++marks_ <= most_cache_points ? R"(,"cachePoint":{"type":"default"})" : std::string_view();
  }

  // Returns the JSON of reasoning that Converse itself signed or encrypted. Other reasoning is not sent.
  std::string thought(const block& each) override {
    if (each.readable_by != wire_format::bedrock_converse) return {};
    if (each.kind == block_kind::opaque)
      return R"({"reasoningContent":{"redactedContent":)" + std::string(each.signature) + "}}";
    const std::string_view text = each.text.empty() ? std::string_view(R"("")") : each.text;
    return R"({"reasoningContent":{"reasoningText":{"text":)" + std::string(text) + R"(,"signature":)" +
           std::string(each.signature) + "}}}";
  }

  std::string call_block(const std::string& id, std::string_view name, std::string_view arguments) override {
    std::string made = R"({"toolUse":{"toolUseId":")" + id + R"(","name":)" + json_quote(name);
    return made.append(R"(,"input":)").append(arguments).append("}}");
  }

  // Returns the JSON of a tool result. The member `status` is written for errors only, because some
  // models do not accept `status`.
  std::string result_block(const std::string& id, const block* result) override {
    std::string content;
    const bool had_text = std::exchange(has_text_, true), had_document = has_document_;
    is_in_result_ = true;
    is_result_marked_ = result != nullptr && !result->cache_mark.empty();
    if (result == nullptr) content = R"({"text":)" + std::string(missing_result) + "}";
    else if (content = parts_of(*result); content.empty() && !is_blank(json_raw_string(result->text)))
      content = R"({"text":)" + std::string(result->text) + "}";
    if (content.empty()) content = empty_result;
    is_in_result_ = false;
    has_text_ = had_text;
    has_document_ = had_document;  // a document inside a tool result needs no text block next to it
    std::string made = R"({"toolResult":{"toolUseId":")" + id + R"(","content":[)" + content + "]";
    if (result == nullptr || result->is_error) made += R"(,"status":"error")";
    made += "}";
    if (std::exchange(is_result_marked_, false)) made += next_cache_point();
    return made + "}";
  }

  std::string last_block() override {
    const bool lacks_text = std::exchange(has_document_, false) && !has_text_;
    has_text_ = false;
    return lacks_text ? R"({"text":)" + std::string(text_beside) + "}" : std::string();
  }

  // Media

  std::string media(const block& each) override {
    std::string made = medium(each);
    if (!made.empty()) made.insert(made.size() - 1, cache_point(each));
    return made;
  }

  std::string medium(const block& each) {
    if (each.kind == block_kind::image) return image(each);
    if (each.kind == block_kind::document) return document(each);
    if (each.kind == block_kind::audio) return sound(each);
    return unsaid("content");
  }

  static bool is_in_s3(const block& each) { return is_s3_address(json_raw_string(each.media.url)); }

  // Returns the file name extension in a block's URL, or an empty string if the block contains the file's data.
  static std::string ending_of(const block& each, const inline_media& held) {
    return held.data.empty() ? file_ending_in(json_raw_string(each.media.url)) : std::string();
  }

  static std::string source_of(std::string_view data) { return R"("source":{"bytes":")" + std::string(data) + "\"}"; }
  static std::string s3_source_of(const block& each) {
    return R"("source":{"s3Location":{"uri":)" + std::string(each.media.url) + "}}";
  }

  // Returns a block such as {"image":{"format":"png","source":{..}}}. The text `members` is inserted between `format`
  // and `source`.
  std::string made_of(std::string_view kind, std::string_view format, const std::string& members,
                      const std::string& source) {
    std::string made = R"({")" + std::string(kind) + R"(":{"format":")";
    return made.append(format).append("\",").append(members).append(source).append("}}");
  }

  std::string image(const block& each) {
    const inline_media held = media_of(each);
    if (held.data.empty() && !is_in_s3(each))
      return unsaid(each.media.file_id.empty() ? "content.image.url" : "content.image.file_id");
    const std::string_view format = word_for(images, held.media_type, ending_of(each, held));
    if (format.empty()) return unsaid("content.image.media_type");
    return made_of("image", format, {}, held.data.empty() ? s3_source_of(each) : source_of(held.data));
  }

  std::string document(const block& each) {
    const inline_media held = media_of(each);
    const std::string& type = held.media_type;
    std::string_view format = word_for(documents, type, ending_of(each, held));
    if (format.empty() && type.starts_with("text/")) format = "txt";
    if (format.empty() && type.empty() && !held.data.empty()) format = "pdf";
    std::string source;
    if (!held.data.empty()) source = source_of(held.data);
    else if (is_in_s3(each)) source = s3_source_of(each);
    else if (!each.text.empty()) {
      source = source_of(base64_encoded(json_unescape(json_raw_string(each.text)), base64_padding::wanted));
      format = "txt";
    }
    if (source.empty()) return unsaid(each.media.file_id.empty() ? "content.document.url" : "content.document.file_id");
    if (format.empty()) return unsaid("content.document.media_type");
    has_document_ = true;
    return made_of("document", format, R"("name":)" + json_quote(name_for(each)) + ",", source);
  }

  std::string sound(const block& each) {
    const inline_media held = media_of(each);
    std::string type = held.media_type;
    if (const std::size_t slash = type.find('/'); slash != std::string::npos) type.erase(0, slash + 1);
    const std::string_view format = word_for(sounds, type, {});
    if (held.data.empty() || format.empty()) return unsaid("content.audio");
    return made_of("audio", format, {}, source_of(held.data));
  }

  // Returns a document name that is unique in the request and has only characters that Converse permits.
  std::string name_for(const block& each) {
    std::string name;
    for (const char letter : json_unescape(json_raw_string(each.media.title))) {
      if (name.size() == longest_file_name) break;
      const char kept = name_letters.holds(letter) ? letter : '-';
      if (kept != ' ' || (!name.empty() && name.back() != ' ')) name += kept;
    }
    if (name.ends_with(' ')) name.pop_back();
    if (name.find_first_not_of("- ") == std::string::npos) name = "Document";
    std::string own = name;
    while (!names_.insert(own).second) own = name + " " + std::to_string(++documents_);
    return own;
  }

  bool has_text_ = false;  // true if the current message has text
  bool has_document_ = false;
  bool is_in_result_ = false;
  bool is_result_marked_ = false;
  std::size_t marks_ = 0;
  std::set<std::string> names_;
  std::size_t documents_ = 1;  // the number for the next document's name
};

class converse_form_writer : form_writer {
 public:
  explicit converse_form_writer(const conversation& said) : form_writer(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    converse_turns turns(said_, form_);
    turns.write();
    write_tools();
    write_inference();
    write_output();
    write_thinking();
    if (number_in(said_.sampling.top_k)) member("top_k", said_.sampling.top_k);
    if (json_is_string(said_.service_tier))
      member("serviceTier", R"({"type":)" + std::string(said_.service_tier) + "}");
    form_.json += "}";
    if (json_is_string(said_.user)) drop("user");
    note_others();
    if (turns.marks() == cache_marks::written && !has_other_marks()) std::erase(form_.dropped, "cache_control");
    if (turns.marks() == cache_marks::left_out) drop("cache_control");
    return std::move(form_);
  }

 private:
  // True if a tool or the whole request has a cache mark. Such marks cannot be translated, because in Converse only
  // blocks can have cache marks.
  bool has_other_marks() const {
    const auto is_marked = [](const tool& each) { return !each.cache_mark.empty(); };
    return !said_.cache_mark.empty() || std::any_of(said_.tools.begin(), said_.tools.end(), is_marked);
  }

  // Tools

  void write_tools() {
    const bool is_off = said_.tools.empty() || said_.choice.kind == choice_kind::none;
    const std::set<std::string> called = is_off ? names_of_calls() : std::set<std::string>();
    if (is_off && called.empty()) return;
    form_.json += R"(,"toolConfig":{"tools":[)";
    if (said_.tools.empty())
      for (const std::string& each : called) write_tool(each, {}, std::string(any_object_schema));
    for (const tool& each : said_.tools) {
      write_tool(flat_tool_name(each.name_space, each.name), each.description, input_schema(each));
      if (each.strict == "true") drop("tools[].strict");
      note_schema(each);
    }
    form_.json += "]";
    write_choice();
    form_.json += "}";
  }

  void write_tool(const std::string& name, std::string_view description, const std::string& schema) {
    form_.json.append(form_.json.ends_with('[') ? "" : ",").append(R"({"toolSpec":{)");
    member("name", json_quote(name));
    if (!json_raw_string(description).empty()) member("description", description);
    form_.json.append(R"(,"inputSchema":{"json":)").append(schema).append("}}}");
  }

  // Writes the tool choice. In Converse, a request can neither forbid calls nor limit the model to one call at a time.
  void write_choice() {
    if (said_.parallel_calls == false && !said_.has_functions) drop("parallel_tool_calls");
    if (said_.tools.empty()) return;
    switch (said_.choice.kind) {
      case choice_kind::unset: return;
      case choice_kind::none: return drop("tool_choice");
      case choice_kind::automatic: return member("toolChoice", R"({"auto":{}})");
      case choice_kind::required: return member("toolChoice", R"({"any":{}})");
      case choice_kind::named: break;
    }
    const std::string name = json_quote(flat_tool_name(said_.choice.name_space, said_.choice.name));
    member("toolChoice", R"({"tool":{"name":)" + name + "}}");
  }

  // Parameters

  void write_inference() {
    form_.json += R"(,"inferenceConfig":{)";
    if (number_in(said_.sampling.max_tokens)) member("maxTokens", said_.sampling.max_tokens);
    member("temperature", up_to_one(said_.sampling.temperature));
    member("topP", up_to_one(said_.sampling.top_p));
    member("stopSequences", stop_list());
    form_.json += "}";
  }

  // Writes the JSON schema of the answer as a JSON string.
  void write_output() {
    if (said_.output.kind == output_kind::json_object) form_.unsupported = "response_format";
    if (said_.output.kind != output_kind::json_schema) return;
    narrowed_schema schema = narrow_schema(said_.output.schema);
    if (schema.has_lost) drop("response_format.json_schema");
    form_.json += R"(,"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{)";
    member("schema", json_quote(schema.json));
    if (!json_raw_string(said_.output.name).empty()) member("name", said_.output.name);
    if (!json_raw_string(said_.output.description).empty()) member("description", said_.output.description);
    form_.json += "}}}}";
  }

  void write_thinking() {
    if (json_is_string(said_.effort)) member("thinking", R"({"effort":)" + std::string(said_.effort) + "}");
    else if (said_.reasoning_budget)
      member("thinking", R"({"budget":)" + std::to_string(*said_.reasoning_budget) + "}");
  }
};

}  // namespace

translated_text write_converse(const conversation& said) { return converse_form_writer(said).write(); }

}  // namespace photofinish::proxy
