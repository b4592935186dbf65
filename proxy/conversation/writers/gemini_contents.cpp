#include "proxy/conversation/writers/gemini_contents.hpp"

#include "proxy/conversation/argument_object.hpp"
#include "proxy/conversation/paired_results.hpp"
#include "proxy/conversation/tool_names.hpp"
#include "proxy/json/values/data_url.hpp"

#include <array>
#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

bool is_empty(std::string_view text) { return text.empty() || text == R"("")"; }

struct known_ending {
  std::string_view ending;
  std::string_view type;
};

// Media types by file name extension. Vertex refuses a file without a media type.
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

// Appends data to the request as a member `inlineData`. `data` is the text of a JSON string between its quotes and is
// copied with its escapes.
void append_inline(std::string_view type, std::string_view data, std::string& out) {
  out.append(R"("inlineData":{"mimeType":)").append(json_quote(type));
  out.append(R"(,"data":")").append(data).append(R"("})");
}

// Returns the media type of an audio format. A request of OpenAI's API contains only the format's name, such as "wav".
std::string sound_type(const std::string& format) {
  return format.find('/') == std::string::npos ? "audio/" + format : format;
}

// Appends the data of a block with its media type. If the client did not set the media type, the file name's extension
// or the data determines it. If the type is still unknown, appends nothing and returns the name of the unsupported
// member. Otherwise returns an empty view.
std::string_view append_data(const block& each, std::string type, std::string_view data, std::string& out) {
  const bool is_document = each.kind == block_kind::document;
  if (type.empty() && is_document) type = type_by_ending(json_raw_string(each.media.title));
  if (type.empty()) type = sniffed_media_type(data);
  // PDF is also the default in translations for Claude and Bedrock.
  if (type.empty() && is_document) type = "application/pdf";
  if (type.empty()) return each.kind == block_kind::image ? "content.image.media_type" : "content.audio";
  append_inline(each.kind == block_kind::audio ? sound_type(type) : type, data, out);
  return {};
}

// Appends a block as inlineData or fileData, without braces around it. If Gemini cannot express the block, appends
// nothing and returns the name of the unsupported member.
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

class contents_writer {
 public:
  contents_writer(const conversation& said, translated_text& form)
      : said_(said), form_(form), out_(form.json), results_(said) {}

  void write() {
    const std::size_t first = write_instructions();
    out_ += R"("contents":[)";
    for (std::size_t at = first; at < said_.turns.size(); ++at) {
      const turn& each = said_.turns[at];
      if (each.who == speaker::assistant) write_assistant(each);
      else if (each.who == speaker::tool) write_results(each);
      else write_said(each);
    }
    leave_model();
    if (role_ == role::none) open(role::user);
    close();
    out_ += "]";
  }

 private:
  enum class role { none, user, model };

  // Contents

  // Begins a new element of `contents` with the role `wanted`, unless the current element already has this role.
  void open(role wanted) {
    if (wanted == role::user) leave_model();
    // A conversation must begin with a message of the user, because Gemini refuses calls that no user message precedes.
    if (wanted == role::model && role_ == role::none) begin(role::user);
    if (role_ != wanted) begin(wanted);
  }

  void begin(role wanted) {
    close();
    role_ = wanted;
    out_.append(has_contents_ ? "," : "").append(R"({"role":")").append(wanted == role::user ? "user" : "model");
    out_ += R"(","parts":[)";
    has_contents_ = true;
    has_parts_ = false;
    last_text_ = nullptr;
  }

  void close() {
    if (role_ == role::none) return;
    if (!has_parts_) out_ += blank_part;
    out_ += "]}";
    role_ = role::none;
  }

  void begin_part() {
    out_ += has_parts_ ? ",{" : "{";
    has_parts_ = true;
  }

  // Writes the results of the model's calls as the user's next element of `contents`.
  void leave_model() {
    if (role_ != role::model || calls_.empty()) return;
    std::vector<const block*> calls;
    calls.swap(calls_);
    begin(role::user);
    for (const block* each : calls) write_result_of(*each);
    flush_media();
  }

  // Instructions

  std::size_t write_instructions() {
    std::size_t at = 0;
    const std::size_t begun = out_.size();
    for (; at < said_.turns.size() && is_instruction(said_.turns[at]); ++at)
      for (const block& each : said_.blocks_of(said_.turns[at])) write_instruction(each, begun);
    if (out_.size() != begun) out_ += "]},";
    return at;
  }

  void write_instruction(const block& each, std::size_t begun) {
    if (!is_text(each)) form_.unsupported = "system";
    if (!is_text(each) || is_empty(each.text)) return;
    out_ += out_.size() == begun ? R"("systemInstruction":{"parts":[{"text":)" : R"(,{"text":)";
    out_.append(each.text).append("}");
  }

  // The user

  void write_said(const turn& turn) {
    open(role::user);
    for (const block& each : said_.blocks_of(turn)) {
      if (is_text(each)) write_text(each, is_instruction(turn));
      else if (each.kind == block_kind::document) write_document(each);
      else write_media(each);
    }
  }

  // Writes a text. Gemini joins parts without a separator, so a separator is written between the texts of two messages.
  // An instruction in the middle of the conversation is enclosed in the tags that Claude Code uses for its own
  // instructions.
  void write_text(const block& each, bool is_instruction) {
    const std::string_view text = json_raw_string(each.text);
    if (text.empty()) return;
    begin_part();
    out_ += R"("text":")";
    if (last_text_ != nullptr && last_text_->item != each.item) out_ += "\\n\\n";
    if (is_instruction) out_.append("<system-reminder>\\n").append(text).append("\\n</system-reminder>");
    else out_ += text;
    out_ += "\"}";
    last_text_ = &each;
  }

  void write_media(const block& each) {
    const std::size_t before = out_.size();
    const bool had_parts = has_parts_;
    begin_part();
    const std::string_view missing = append_gemini_media(each, out_);
    if (missing.empty()) {
      const bool is_titled = each.kind == block_kind::document && !is_empty(each.media.title);
      if (is_titled && said_.from == wire_format::anthropic_messages) form_.drop_once("content.document.title");
      out_ += "}";
      return;
    }
    form_.unsupported = missing;
    out_.resize(before);
    has_parts_ = had_parts;
  }

  void write_document(const block& each) {
    for (const block& part : said_.parts_of(each)) {
      if (is_text(part)) write_text(part, false);
      else write_media(part);
    }
    if (each.parts > 0) return;
    if (each.text.empty()) write_media(each);
    else write_text(each, false);
  }

  // The model

  void write_assistant(const turn& turn) {
    for (const block& each : said_.blocks_of(turn)) {
      if (is_text(each)) write_model_text(each);
      else if (each.kind == block_kind::call) write_call(each);
      else if (each.kind == block_kind::reasoning || each.kind == block_kind::opaque) note_signature(each);
      else if (each.kind != block_kind::hosted) form_.unsupported = "content";
    }
    flush_signature();
  }

  // Stores a signature until the next part of the message is written, because that part will contain the signature. The
  // text of Gemini's own thoughts is not sent back.
  void note_signature(const block& each) {
    const bool is_ours = each.readable_by == wire_format::gemini && !is_empty(each.signature);
    if (!is_ours && !each.signature.empty()) form_.drop_once("reasoning.signature");
    if (!is_ours && !each.text.empty()) form_.drop_once("reasoning");
    if (!is_ours) return;
    flush_signature();
    signature_ = each.signature;
  }

  // Writes a stored signature as a part with an empty text if no other part follows. Gemini itself sends such parts.
  void flush_signature() {
    if (signature_.empty()) return;
    open(role::model);
    begin_part();
    out_ += R"("text":"")";
    end_signed_part();
  }

  void end_signed_part() {
    if (!signature_.empty()) out_.append(R"(,"thoughtSignature":)").append(signature_);
    signature_ = {};
    out_ += "}";
  }

  void write_model_text(const block& each) {
    if (is_empty(each.text)) return;
    open(role::model);
    begin_part();
    out_.append(R"("text":)").append(each.text);
    end_signed_part();
  }

  // Writes a tool call. In a message with several calls, Gemini signs only the first call.
  void write_call(const block& each) {
    open(role::model);
    begin_part();
    out_.append(R"("functionCall":{"name":)").append(json_quote(flat_tool_name(each.name_space, each.name)));
    out_ += R"(,"args":)";
    append_argument_object(each, out_);
    out_ += "}";
    if (signature_.empty() && calls_.empty()) signature_ = unsigned_call;
    end_signed_part();
    calls_.push_back(&each);
  }

  // Results

  void write_result_of(const block& call) {
    begin_part();
    out_.append(R"("functionResponse":{"name":)").append(json_quote(flat_tool_name(call.name_space, call.name)));
    out_ += R"(,"response":)";
    const block* const result = results_.take(call);
    if (result == nullptr) out_.append(R"({"error":)").append(missing_result).append("}");
    else write_outcome(*result);
    out_ += "}}";
  }

  // Writes a function's result as Gemini's member `output` or `error`.
  void write_outcome(const block& result) {
    out_ += result.is_error ? R"({"error":)" : R"({"output":)";
    if (result.parts == 0) out_ += result.text.empty() ? std::string_view(R"("")") : result.text;
    else write_joined_parts(result);
    out_ += "}";
  }

  void write_joined_parts(const block& result) {
    out_ += "\"";
    bool is_first = true;
    for (const block& part : said_.parts_of(result)) {
      if (!is_text(part) && !is_text_document(part)) {
        media_.push_back(&part);
        continue;
      }
      out_.append(is_first ? "" : "\\n").append(json_raw_string(part.text));
      is_first = false;
    }
    out_ += "\"";
  }

  // Writes the images and files of tool results after the last function response. Older models accept only text in a
  // function response.
  void flush_media() {
    for (const block* each : media_)
      if (each->kind == block_kind::document) write_document(*each);
      else write_media(*each);
    media_.clear();
  }

  // Writes results without a call as text, because Gemini refuses a function response without a call.
  void write_results(const turn& turn) {
    open(role::user);
    for (const block& each : said_.blocks_of(turn)) {
      if (each.kind != block_kind::result || results_.is_taken(each)) continue;
      if (each.parts == 0) write_text(each, false);
      else write_document(each);
    }
  }

  const conversation& said_;
  translated_text& form_;
  std::string& out_;
  role role_ = role::none;
  bool has_contents_ = false;
  bool has_parts_ = false;             // true if the current element of `contents` has at least one part
  const block* last_text_ = nullptr;   // the user's last text in the current element of `contents`
  std::string_view signature_;         // the signature for the next part, as a JSON string
  std::vector<const block*> calls_;    // the tool calls in the current element of `contents`
  paired_results results_;
  std::vector<const block*> media_;
};

}  // namespace

void write_gemini_contents(const conversation& said, translated_text& form) { contents_writer(said, form).write(); }

}  // namespace photofinish::proxy
