// Lists the places where a request may contain text, and searches received requests for the hidden words.
#include "tests/integration/guardrails/sent_texts_fixture.hpp"

#include <cctype>
#include <regex>

namespace photofinish::testing {
namespace {

using nlohmann::json;

constexpr const char *chat = "/v1/chat/completions", *messages = "/v1/messages", *responses = "/v1/responses";

void find_words(const std::string& text, std::set<std::string>& words) {
  static const std::regex word("zq[0-9]+x");
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) words.insert(at->str());
}

// Finds hidden words with a SAX parser. A parsed tree would keep only one of two members with the same name.
class word_finder : public nlohmann::json_sax<json> {
 public:
  explicit word_finder(std::set<std::string>& words) : words_(words) {}
  bool key(std::string& name) override { return see(name); }
  bool string(std::string& text) override { return see(text); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(json::number_integer_t) override { return true; }
  bool number_unsigned(json::number_unsigned_t) override { return true; }
  bool number_float(json::number_float_t, const std::string&) override { return true; }
  bool binary(json::binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

 private:
  bool see(const std::string& text) {
    find_words(text, words_);
    if (text.starts_with('{')) json::sax_parse(text, this);
    return true;
  }
  std::set<std::string>& words_;
};

// Returns the text with its first letter written as a JSON escape.
std::string escaped(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto letter = static_cast<unsigned char>(text[0]);
  return std::string("\\u00") + digits[letter >> 4] + digits[letter & 15] + text.substr(1);
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

}  // namespace

const char* to_string(spelling how) {
  switch (how) {
    case spelling::plain: return "plain";
    case spelling::escaped: return "escaped";
    case spelling::first: return "first of two";
    case spelling::last: return "last of two";
    case spelling::escaped_first: return "first of two, its name escaped";
    case spelling::escaped_last: return "last of two, its name escaped";
    case spelling::nested: return "nested";
    case spelling::as_name: return "as a name";
  }
  return "?";
}

std::set<std::string> words_in(const std::string& text) {
  std::set<std::string> words;
  word_finder finder(words);
  if (!json::sax_parse(text, &finder)) find_words(text, words);
  return words;
}

std::string request_with(const hiding_place& place, spelling how, const std::string& model, const std::string& word) {
  const std::string name = place.member, secret = word + " is hidden";
  const std::string harmless = quoted(name) + ":" + place.harmless, hiding = quoted(name) + ":" + quoted(secret);
  const std::string hiding_escaped = quoted(escaped(name)) + ":" + quoted(secret);
  std::string member;
  switch (how) {
    case spelling::plain: member = hiding; break;
    case spelling::escaped: member = quoted(escaped(name)) + ":" + quoted(escaped(secret)); break;
    case spelling::first: member = hiding + "," + harmless; break;
    case spelling::last: member = harmless + "," + hiding; break;
    case spelling::escaped_first: member = hiding_escaped + "," + harmless; break;
    case spelling::escaped_last: member = harmless + "," + hiding_escaped; break;
    case spelling::nested: member = quoted(name) + R"(:{"deep":[{"text":")" + secret + R"("}]})"; break;
    case spelling::as_name: member = harmless + "," + quoted(secret) + ":1"; break;
  }
  std::string body;
  for (const char each : std::string_view(place.body)) {
    if (each == '@') body += member;
    else if (each == '$') body += quoted(model);
    else body += each;
  }
  return body;
}

const std::vector<hiding_place> conversation_places{
    {"chat content", chat, R"({"model":$,"messages":[{"role":"user",@}]})", "content"},
    {"chat text", chat, R"({"model":$,"messages":[{"role":"user","content":[{"type":"text",@}]}]})", "text"},
    {"chat type", chat, R"({"model":$,"messages":[{"role":"user","content":[{"text":"a",@}]}]})", "type", R"("text")"},
    {"chat name", chat, R"({"model":$,"messages":[{"role":"user","content":"a",@}]})", "name"},
    {"chat unknown", chat, R"({"model":$,"messages":[{"role":"user","content":"a",@}]})", "note"},
    {"chat role", chat, R"({"model":$,"messages":[{"role":"user","content":"a"},{"content":"b",@}]})", "role", R"("user")"},
    {"chat refusal", chat, R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant",@}]})", "refusal"},
    {"chat reasoning", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b",@}]})", "reasoning_content"},
    {"chat function_call arguments", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"function_call":{"name":"f",@}}]})",
     "arguments", R"("{}")"},
    {"chat function_call name", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant","function_call":{"arguments":"{}",@}}]})", "name"},
    {"chat arguments", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f",@}}]},{"role":"tool","tool_call_id":"c","content":"r"}]})",
     "arguments", R"("{}")"},
    {"chat called name", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"arguments":"{}",@}}]},{"role":"tool","tool_call_id":"c","content":"r"}]})",
     "name", R"("f")"},
    {"chat result", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c",@}]})",
     "content"},
    {"chat image url", chat,
     R"({"model":$,"messages":[{"role":"user","content":[{"type":"image_url","image_url":{@}}]}]})", "url",
     R"("https://a.example/b.png")"},
    {"chat file name", chat,
     R"({"model":$,"messages":[{"role":"user","content":[{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA",@}}]}]})",
     "filename"},
    {"chat file data", chat,
     R"({"model":$,"messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf",@}}]}]})", "file_data",
     R"("data:application/pdf;base64,AAAA")"},
    {"chat system beside", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "system"},
    {"chat prompt beside", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "prompt"},
    {"chat input beside", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "input"},
    {"chat documents beside", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "documents", "[]"},
    {"chat instructions beside", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "instructions"},
    {"chat unknown top", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "note"},
    {"chat user", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "user"},
    {"chat stop", chat, R"({"model":$,@,"messages":[{"role":"user","content":"a"}]})", "stop"},
    {"chat metadata", chat, R"({"model":$,"metadata":{@},"messages":[{"role":"user","content":"a"}]})", "about"},
    {"chat tool description", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"},@}}]})",
     "description"},
    {"chat tool name", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"parameters":{"type":"object"},@}}]})",
     "name", R"("f")"},
    {"chat tool schema", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"p":{"type":"string",@}}}}}]})",
     "description"},
    {"chat function description", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"functions":[{"name":"f","parameters":{"type":"object"},@}]})",
     "description"},
    {"chat tool choice", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"tool_choice":{"type":"function","function":{@}}})", "name"},
    {"chat output schema", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object"},@}}})",
     "description"},
    {"chat prediction", chat,
     R"({"model":$,"messages":[{"role":"user","content":"a"}],"prediction":{"type":"content",@}})", "content"},
    {"chat stream options", chat, R"({"model":$,"messages":[{"role":"user","content":"a"}],"stream_options":{@}})", "note"},
    {"chat logit bias", chat, R"({"model":$,"messages":[{"role":"user","content":"a"}],"logit_bias":{@}})", "5", "1"},

    {"messages content", messages, R"({"model":$,"max_tokens":9,"messages":[{"role":"user",@}]})", "content"},
    {"messages text", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text",@}]}]})", "text"},
    {"messages type", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":[{"text":"a",@}]}]})", "type", R"("text")"},
    {"messages unknown", messages, R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a",@}]})", "note"},
    {"messages system", messages, R"({"model":$,"max_tokens":9,@,"messages":[{"role":"user","content":"a"}]})", "system"},
    {"messages system text", messages,
     R"({"model":$,"max_tokens":9,"system":[{"type":"text",@}],"messages":[{"role":"user","content":"a"}]})", "text"},
    {"messages billing text", messages,
     R"({"model":$,"max_tokens":9,"system":[{"type":"text","text":"x-anthropic-billing-header: a",@}],"messages":[{"role":"user","content":"a"}]})",
     "note"},
    {"messages thinking", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","signature":"AAAA",@}]}]})",
     "thinking"},
    {"messages signature", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"t",@}]}]})",
     "signature", R"("AAAA")"},
    {"messages tool input", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{@}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}]})",
     "note"},
    {"messages called name", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"c","input":{},@}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"r"}]}]})",
     "name"},
    {"messages result", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c",@}]}]})",
     "content"},
    {"messages result text", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text",@}]}]}]})",
     "text"},
    {"messages document", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain",@}}]}]})",
     "data"},
    {"messages document title", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},@}]}]})",
     "title"},
    {"messages document context", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},@}]}]})",
     "context"},
    {"messages tool description", messages,
     R"({"model":$,"max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"name":"f","input_schema":{"type":"object"},@}]})",
     "description"},
    {"messages user", messages,
     R"({"model":$,"max_tokens":9,"metadata":{@},"messages":[{"role":"user","content":"a"}]})", "user_id"},
    {"messages stop", messages,
     R"({"model":$,"max_tokens":9,@,"messages":[{"role":"user","content":"a"}]})", "stop_sequences", "[]"},
    {"messages input beside", messages, R"({"model":$,"max_tokens":9,@,"messages":[{"role":"user","content":"a"}]})", "input"},
    {"messages unknown top", messages, R"({"model":$,"max_tokens":9,@,"messages":[{"role":"user","content":"a"}]})", "note"},
    {"messages thinking mode", messages,
     R"({"model":$,"max_tokens":9,"thinking":{"type":"disabled",@},"messages":[{"role":"user","content":"a"}]})", "note"},

    {"responses input", responses, R"({"model":$,@})", "input"},
    {"responses instructions", responses, R"({"model":$,"input":"a",@})", "instructions"},
    {"responses content", responses, R"({"model":$,"input":[{"role":"user",@}]})", "content"},
    {"responses text", responses, R"({"model":$,"input":[{"role":"user","content":[{"type":"input_text",@}]}]})", "text"},
    {"responses unknown", responses, R"({"model":$,"input":[{"role":"user","content":"a",@}]})", "note"},
    {"responses arguments", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"f",@},{"type":"function_call_output","call_id":"c","output":"r"}]})",
     "arguments", R"("{}")"},
    {"responses called name", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","arguments":"{}",@},{"type":"function_call_output","call_id":"c","output":"r"}]})",
     "name", R"("f")"},
    {"responses output", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c",@}]})",
     "output"},
    {"responses custom input", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"custom_tool_call","call_id":"c","name":"f",@},{"type":"custom_tool_call_output","call_id":"c","output":"r"}]})",
     "input"},
    {"responses summary", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"reasoning","id":"rs","content":[{"type":"reasoning_text","text":"t"}],"summary":[{"type":"summary_text",@}]},{"role":"assistant","content":"b"}]})",
     "text"},
    {"responses unknown item", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"mcp_list_tools","server_label":"s",@}]})", "error"},
    {"responses search item", responses,
     R"({"model":$,"input":[{"role":"user","content":"a"},{"type":"web_search_call","id":"ws","action":{"type":"search",@}}]})", "query"},
    {"responses prompt variables", responses,
     R"({"model":$,"input":"a","prompt":{"id":"pmpt_1","variables":{@}}})", "city"},
    {"responses messages beside", responses, R"({"model":$,"input":"a",@})", "messages"},
    {"responses unknown top", responses, R"({"model":$,"input":"a",@})", "note"},
    {"responses tool description", responses,
     R"({"model":$,"input":"a","tools":[{"type":"function","name":"f","parameters":{"type":"object"},@}]})", "description"},
    {"responses format name", responses,
     R"({"model":$,"input":"a","text":{"format":{"type":"json_schema","schema":{"type":"object"},@}}})", "name"},
    {"responses reasoning", responses, R"({"model":$,"input":"a","reasoning":{"effort":"low",@}})", "note"},
    {"responses tool choice", responses, R"({"model":$,"input":"a","tool_choice":{"type":"function",@}})", "name"},
};

const std::vector<hiding_place> other_places{
    {"completions prompt", "/v1/completions", R"({"model":$,@})", "prompt"},
    {"completions suffix", "/v1/completions", R"({"model":$,"prompt":"a",@})", "suffix"},
    {"completions stop", "/v1/completions", R"({"model":$,"prompt":"a",@})", "stop"},
    {"completions messages beside", "/v1/completions", R"({"model":$,"prompt":"a",@})", "messages"},
    {"completions unknown", "/v1/completions", R"({"model":$,"prompt":"a",@})", "note"},
    {"embeddings input", "/v1/embeddings", R"({"model":$,@})", "input"},
    {"embeddings part", "/v1/embeddings", R"({"model":$,"input":[{"type":"text",@}]})", "text"},
    {"embeddings image", "/v1/embeddings", R"({"model":$,"input":[{"type":"image_url","image_url":{@}}]})", "url"},
    {"embeddings unknown", "/v1/embeddings", R"({"model":$,"input":"a",@})", "instruction"},
    {"rerank query", "/v1/rerank", R"({"model":$,"documents":["a"],@})", "query"},
    {"rerank document", "/v1/rerank", R"({"model":$,"query":"q","documents":[{@}]})", "text"},
    {"rerank document id", "/v1/rerank", R"({"model":$,"query":"q","documents":[{"text":"a",@}]})", "id"},
    {"rerank document image", "/v1/rerank", R"({"model":$,"query":"q","documents":[{"text":"a",@}]})", "image"},
    {"rerank rank fields", "/v1/rerank", R"({"model":$,"query":"q","documents":["a"],@})", "rank_fields", "[]"},
    {"rerank unknown", "/v1/rerank", R"({"model":$,"query":"q","documents":["a"],@})", "instruction"},
    {"moderations input", "/v1/moderations", R"({"model":$,@})", "input"},
    {"moderations part", "/v1/moderations", R"({"model":$,"input":[{"type":"text",@}]})", "text"},
    {"images prompt", "/v1/images/generations", R"({"model":$,@})", "prompt"},
    {"images style", "/v1/images/generations", R"({"model":$,"prompt":"a",@})", "style"},
    {"speech input", "/v1/audio/speech", R"({"model":$,"voice":"alloy",@})", "input"},
    {"speech instructions", "/v1/audio/speech", R"({"model":$,"input":"a","voice":"alloy",@})", "instructions"},
    {"speech voice", "/v1/audio/speech", R"({"model":$,"input":"a",@})", "voice"},
};

sent_texts_fixture::sent_texts_fixture() {
  using proxy::served_api;
  add("openai", recorder_).apis = {served_api::chat,   served_api::completions, served_api::embeddings,
                                   served_api::rerank, served_api::moderations, served_api::images,
                                   served_api::audio};
  add("responses", recorder_).apis = {served_api::chat, served_api::responses};
  proxy::provider& claude = add("claude", recorder_);
  claude.dialect = "anthropic";
  proxy::provider& gemini = add("gemini", recorder_);
  gemini.dialect = "gemini";
  gemini.url.path = "/v1beta";
  proxy::provider& bedrock = add("bedrock", recorder_);
  bedrock.dialect = "bedrock";
  bedrock.key.auth = proxy::auth_style::aws;
  bedrock.key.aws_region = "us-east-1";
  bedrock.key.value = proxy::secret("ABSKexample0123456789");
  bedrock.url.path.clear();
  for (const char* name : {"openai", "responses", "claude", "gemini"}) add_route(name, {std::string(name) + "/m"});
  add_route("bedrock", {"bedrock/us.amazon.nova-lite-v1:0"});
  pii().routes.clear();
  pii().mode = gateway::guardrail_mode::before;
  judge_by([this](provider_call& call) {
    const json asked = json::parse(call.request().body);
    {
      const std::lock_guard lock(heard_guard_);
      shown_.clear();
      for (const json& each : asked.at("body").at("messages")) {
        EXPECT_TRUE(each.at("content").is_string()) << each.dump();
        shown_ += (each.at("content").is_string() ? each.at("content").get<std::string>() : each.dump()) + "\n";
      }
    }
    call.answer(200, passes);
  });
}

sent_texts_fixture::passage sent_texts_fixture::pass(const std::string& path, const std::string& body,
                                                     const std::string& fields) {
  {
    const std::lock_guard lock(heard_guard_);
    shown_.clear();
    sent_.clear();
  }
  test_client client = connect();
  client.post(body, "anthropic-version: 2023-06-01\r\n" + fields, path);
  passage made;
  made.status = client.read().status;
  const std::lock_guard lock(heard_guard_);
  find_words(shown_, made.shown);
  for (const std::string& each : sent_) made.sent.merge(words_in(each));
  return made;
}

void sent_texts_fixture::expect_shown(const std::vector<hiding_place>& places, const std::string& model) {
  start();
  for (const hiding_place& place : places)
    for (const spelling how : all_spellings) {
      const std::string word = hidden_word(++cases_);
      const passage made = pass(place.path, request_with(place, how, model, word));
      if (!made.sent.contains(word)) continue;
      ++sent_cases_;
      if (made.shown.contains(word)) continue;
      ++failed_;
      ADD_FAILURE() << place.name << ", " << to_string(how) << ", to " << model << ": sent, and not shown";
    }
  RecordProperty("cases", static_cast<int>(cases_));
  RecordProperty("sent", static_cast<int>(sent_cases_));
  RecordProperty("failed", static_cast<int>(failed_));
}

}  // namespace photofinish::testing
