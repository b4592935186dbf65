#include "proxy/conversation/writers/converse_form.hpp"

#include "proxy/conversation/output_schema.hpp"
#include "proxy/conversation/writers/converse_turns.hpp"
#include "proxy/conversation/writers/form_writer.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {
namespace {

class converse_form_writer : form_writer {
 public:
  explicit converse_form_writer(const conversation& said) : form_writer(said) {}

  translated_text write() && {
    if (!begin("{")) return std::move(form_);
    const cache_marks marks = write_converse_turns(said_, form_);
    write_tools();
    write_inference();
    write_output();
    write_thinking();
    if (number_in(said_.sampling.top_k)) member("top_k", said_.sampling.top_k);
    form_.json += "}";
    if (json_is_string(said_.user)) drop("user");
    note_others();
    if (marks == cache_marks::written && !has_other_marks()) std::erase(form_.dropped, "cache_control");
    if (marks == cache_marks::left_out) drop("cache_control");
    return std::move(form_);
  }

 private:
  // Marks that have no place: on a tool, or on the whole request.
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

  // Converse cannot forbid calls, nor ask for one at a time.
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

  // The schema is a text of its own.
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
