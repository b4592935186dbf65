// Passes a provider's stream through the code that inspects, repairs and edits its chunks. The client gets valid JSON objects, one per
// line, all with the same id. The client's events do not depend on how the bytes are split into reads. Repairing the repaired stream again
// changes nothing.
#include "proxy/dialects/openai/passed_answer.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/support/streams/stream_player.hpp"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

namespace photofinish::fuzz {
namespace {

using proxy::usage_chunk;
using test::played_stream;

proxy::stream_settings settings_of(const proxy::chunk_form& form, usage_chunk usage) {
  proxy::stream_settings settings = test::settings_for_test(usage);
  settings.format = form.format;
  return settings;
}

played_stream play(const pieces& cut, const proxy::chunk_form& form, usage_chunk usage) {
  test::stream_player player(settings_of(form, usage));
  for (const std::string_view piece : cut) player.feed(piece);
  player.end_body();
  return player.played();
}

bool same(const played_stream& one, const played_stream& other) {
  return one.json == other.json && one.kinds == other.kinds && one.ends == other.ends &&
         one.failed.has_value() == other.failed.has_value() && one.summary.text_bytes == other.summary.text_bytes;
}

// Returns the number of bytes of text in these chunks. Inspects each chunk with a new inspector.
std::uint64_t text_bytes(const std::vector<std::string>& chunks, const proxy::chunk_form& form) {
  std::uint64_t bytes = 0;
  for (const std::string& json : chunks) {
    const test::padded_bytes padded(json);
    proxy::chunk_inspector inspector(nullptr, form);
    if (inspector.inspect(padded.view())) bytes += inspector.facts().text_bytes;
  }
  return bytes;
}

class reader {
 public:
  explicit reader(const proxy::chunk_form& form) : form_(form) {}

  // Checks the data that the client receives: one JSON object per line, with the id and the time of the first object. Numbers that are too
  // large for a double and unpaired surrogates are permitted. simdjson rejects them, but clients accept them.
  void check(const std::string& json) {
    require(json.find('\n') == std::string::npos, "an event is one line");
    simdjson::dom::object chunk;
    require(parser_.parse(with_padding(json)).get(chunk) == simdjson::SUCCESS,
            "what is relayed is a valid JSON object");
    check_same(chunk, "id", id_, "the id is constant");
    check_same(chunk, "created", created_, "the created time is constant");
    simdjson::dom::array choices;
    const auto list = find(chunk, "choices");
    require(list && list->get(choices) == simdjson::SUCCESS, "choices is a list");
    for (const simdjson::dom::element choice : choices) check_choice(choice);
  }

 private:
  // If a key is repeated, clients use the last value.
  static std::optional<simdjson::dom::element> find(simdjson::dom::object object, std::string_view key) {
    std::optional<simdjson::dom::element> last;
    for (const auto& [name, value] : object)
      if (name == key) last = value;
    return last;
  }

  void check_same(simdjson::dom::object chunk, std::string_view key, std::string& first, const char* what) {
    const auto found = find(chunk, key);
    const std::string text = found ? simdjson::minify(*found) : "";
    if (first.empty()) first = text;
    require(!text.empty() && text == first, what);
  }

  std::string_view with_padding(std::string_view json) {
    padded_.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    return padded_ = json;
  }

  void check_choice(simdjson::dom::element choice) {
    simdjson::dom::object object;
    require(choice.get(object) == simdjson::SUCCESS, "a choice is an object");
    const auto index = find(object, "index"), said = find(object, form_.said);
    require(index && index->is_int64(), "a choice has its index");
    require(said && (form_.has_roles ? said->is_object() : said->is_string()), "a choice has its delta, or its text");
  }

  const proxy::chunk_form& form_;
  proxy::tolerant_parser parser_;
  std::string padded_, id_, created_;
};

void check(std::string_view bytes, const proxy::chunk_form& form, usage_chunk usage) {
  const played_stream whole = play({bytes}, form, usage);
  require(same(play(at_random(bytes), form, usage), whole), "any split gives the same stream");
  require(whole.ends + (whole.failed ? 1 : 0) == 1, "a stream ends once, or fails");
  reader client(form);
  for (const std::string& json : whole.json) client.check(json);
  if (whole.failed) return;
  require(text_bytes(whole.json, form) == whole.summary.text_bytes, "what is counted is what a client reads");
  const std::string mended = test::events_of(whole.json) + "data: [DONE]\n\n";
  const played_stream again = play({mended}, form, usage);
  require(!again.failed, "a mended stream is a good stream");
  require(again.json == whole.json, "a mended stream is not mended again");
}

std::string json_of(const proxy::stream_event& event) {
  std::string json;
  for (const std::string_view piece : event.json) json += piece;
  return json;
}

// Checks the data that the client gets if the gateway passes the bytes on as the complete body of an answer.
void check_passed(std::string_view bytes, const proxy::chunk_form& form) {
  const proxy::stream_settings settings = settings_of(form, usage_chunk::unwanted);
  proxy::passed_answer answer(settings);
  std::string body(bytes);
  if (!answer.take(body)) return require(body == bytes, "what does not pass is left alone");
  const std::string json = json_of(answer.event({}));
  std::string line = json;
  std::replace(line.begin(), line.end(), '\n', ' ');  // valid JSON contains line feeds only between its tokens
  reader(proxy::whole_form_of(form.format)).check(line);
  proxy::passed_answer again(settings);
  body = json;
  require(again.take(body), "what has passed passes again");
  require(json_of(again.event({})) == json, "a mended answer is not mended again");
}

// Plays the bytes as the body of a non-streamed answer, and checks the data that the client gets.
void check_whole(std::string_view bytes, const proxy::chunk_form& form, usage_chunk usage) {
  test::stream_player player(settings_of(form, usage));
  player.answer(std::string(bytes));
  require(player.played().ends + (player.played().failed ? 1 : 0) == 1, "a whole answer ends once, or fails");
  reader client(form);
  for (const std::string& json : player.played().json) client.check(json);
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish;
  const std::string_view bytes = fuzz::as_text(data, size);
  for (const proxy::chunk_form* form : {&proxy::chat_form, &proxy::completion_form}) {
    fuzz::check(bytes, *form, proxy::usage_chunk::unwanted);
    fuzz::check(bytes, *form, proxy::usage_chunk::wanted);
    fuzz::check_whole(bytes, *form, proxy::usage_chunk::wanted);
    fuzz::check_passed(bytes, *form);
  }
  return 0;
}
