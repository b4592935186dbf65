// Measures the translation of a long conversation: reading the request, writing it as a chat request, and indexing the
// chat request so that each attempt can change it.
#include "proxy/conversation/request_readers.hpp"
#include "proxy/conversation/writers/request_forms.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <variant>

namespace photofinish::proxy {
namespace {

// Returns an agent's history of about this size: a question, followed by tool calls and their results of a kilobyte each.
std::string responses_request(std::size_t bytes) {
  std::string items = R"({"role":"user","content":"Look through the sources"})";
  const std::string text = R"(int main() {\n  return \"0\";\n}\n)";
  for (std::size_t at = 0; items.size() < bytes; ++at) {
    const std::string id = "\"call_" + std::to_string(at) + "\"";
    items += R"(,{"type":"function_call","call_id":)" + id + R"(,"name":"read","arguments":"{\"path\":\"a/b.cpp\"}"})";
    items += R"(,{"type":"function_call_output","call_id":)" + id + R"(,"output":")";
    for (int line = 0; line < 30; ++line) items += text;
    items += "\"}";
  }
  return R"({"model":"m","stream":true,"instructions":"Be brief","input":[)" + items + "]}";
}

std::string messages_request(std::size_t bytes) {
  std::string turns = R"({"role":"user","content":"Look through the sources"})";
  const std::string text = R"(int main() {\n  return \"0\";\n}\n)";
  for (std::size_t at = 0; turns.size() < bytes; ++at) {
    const std::string id = "\"toolu_" + std::to_string(at) + "\"";
    turns += R"(,{"role":"assistant","content":[{"type":"text","text":"Reading"},{"type":"tool_use","id":)" + id +
             R"(,"name":"read","input":{"path":"a/b.cpp"}}]})";
    turns += R"(,{"role":"user","content":[{"type":"tool_result","tool_use_id":)" + id + R"(,"content":")";
    for (int line = 0; line < 30; ++line) turns += text;
    turns += "\"}]}";
  }
  return R"({"model":"m","max_tokens":1000,"stream":true,"messages":[)" + turns + "]}";
}

void translate(benchmark::State& state, const std::string& text, read_conversation (*read)(const client_body&)) {
  const auto body = std::make_shared<const client_body>(text);
  for (auto _ : state) {
    request_forms forms(body, std::get<conversation>(read(*body)));
    benchmark::DoNotOptimize(forms.in(wire_format::openai_chat));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void responses_to_chat(benchmark::State& state) {
  translate(state, responses_request(static_cast<std::size_t>(state.range(0))), read_responses);
}
void messages_to_chat(benchmark::State& state) {
  translate(state, messages_request(static_cast<std::size_t>(state.range(0))), read_messages);
}
BENCHMARK(responses_to_chat)->Arg(3'000)->Arg(300'000)->Arg(2'000'000);
BENCHMARK(messages_to_chat)->Arg(3'000)->Arg(300'000)->Arg(2'000'000);

}  // namespace
}  // namespace photofinish::proxy

BENCHMARK_MAIN();
