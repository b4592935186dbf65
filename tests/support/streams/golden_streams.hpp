// Streams as providers send them, byte for byte, and the events that a client must receive for each stream.
#pragma once

#include <string>
#include <vector>

namespace photofinish::test {

struct golden_stream {
  std::string name;
  std::string bytes;
  std::vector<std::string> client;         // the JSON of each event that the client gets, without the usage chunk
  std::string usage_chunk;                 // the usage chunk that follows if the client requested usage; may be empty
};

inline std::vector<golden_stream> golden_streams() {
  // OpenAI sends a role chunk, text with an emoji of four bytes, a finish chunk, and the requested usage.
  const std::string openai_head =
      R"({"id":"chatcmpl-A1","object":"chat.completion.chunk","created":1763700000,"model":"gpt-5.4-mini","service_tier":"default","choices":[{"index":0,"delta":)";
  const std::vector<std::string> openai{
      openai_head + R"({"role":"assistant","content":"","refusal":null},"finish_reason":null}],"usage":null,"obfuscation":"xY"})",
      openai_head + R"({"content":"Hé"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"q"})",
      openai_head + "{\"content\":\" \xF0\x9F\x8F\x81 \\\"won\\\"\"},\"finish_reason\":null}],\"usage\":null}",
      openai_head + R"({},"finish_reason":"stop"}],"usage":null})"};
  const std::string openai_usage =
      R"({"id":"chatcmpl-A1","object":"chat.completion.chunk","created":1763700000,"model":"gpt-5.4-mini","service_tier":"default","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"completion_tokens_details":{"reasoning_tokens":0}}})";
  std::string openai_bytes;
  for (const std::string& chunk : openai) openai_bytes += "data: " + chunk + "\n\n";
  openai_bytes += "data: " + openai_usage + "\n\ndata: [DONE]\n\n";

  // OpenRouter sends comments while it waits, ends lines with CRLF, and sends reasoning before text.
  const std::string router_head =
      R"({"id":"gen-7","provider":"X","model":"m","object":"chat.completion.chunk","created":1763700001,"choices":[{"index":0,"delta":)";
  const std::vector<std::string> router{
      router_head + R"({"role":"assistant","content":"","reasoning":"Hm","reasoning_details":[{"type":"reasoning.text","text":"Hm"}]},"finish_reason":null}]})",
      router_head + R"({"content":"ok"},"finish_reason":null}]})",
      router_head + R"({"content":""},"finish_reason":"stop","native_finish_reason":"stop"}]})"};
  std::string router_bytes = "\xEF\xBB\xBF: OPENROUTER PROCESSING\r\n\r\n";
  for (const std::string& chunk : router) router_bytes += "data: " + chunk + "\r\n\r\n: OPENROUTER PROCESSING\r\n\r\n";
  router_bytes += "data: [DONE]\r\n\r\n";

  // Groq sends usage in the member x_groq. The client may also read the usage there.
  const std::string groq_head =
      R"({"id":"chatcmpl-G","object":"chat.completion.chunk","created":1763700002,"model":"openai/gpt-oss-120b","choices":[{"index":0,"delta":)";
  const std::vector<std::string> groq{
      groq_head + R"({"role":"assistant","content":""},"finish_reason":null}],"x_groq":{"id":"req_1"}})",
      groq_head + R"({"content":"hi"},"finish_reason":null}]})",
      groq_head + R"({},"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"prompt_tokens":3,"completion_tokens":2,"total_time":0.01}}})"};
  std::string groq_bytes;
  for (const std::string& chunk : groq) groq_bytes += "data: " + chunk + "\n\n";
  groq_bytes += "data: [DONE]\n\n";

  // Azure's first chunk contains only filter results, and has an empty id.
  const std::string azure_bytes =
      "data: {\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\",\"prompt_filter_results\":[1]}\n\n"
      "data: {\"choices\":[{\"delta\":{\"content\":\"A\",\"role\":\"assistant\"},\"index\":0}],\"created\":5,\"id\":\"c\",\"model\":\"gpt\"}\n\n"
      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"index\":0}],\"created\":5,\"id\":\"c\",\"model\":\"gpt\"}\n\n"
      "data: [DONE]\n\n";
  const std::vector<std::string> azure{
      R"({"choices":[],"created":1700000000,"id":"chatcmpl-invented","model":"","object":"","prompt_filter_results":[1]})",
      R"({"choices":[{"delta":{"content":"A","role":"assistant"},"index":0}],"created":1700000000,"id":"chatcmpl-invented","model":"gpt"})",
      R"({"choices":[{"delta":{},"finish_reason":"stop","index":0}],"created":1700000000,"id":"chatcmpl-invented","model":"gpt"})"};

  return {
      {"OpenAI", openai_bytes, openai, openai_usage},
      {"OpenRouter", router_bytes, router, ""},
      {"Groq", groq_bytes, groq,
       R"({"id":"chatcmpl-G","object":"chat.completion.chunk","created":1763700002,"model":"openai/gpt-oss-120b","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_time":0.01}})"},
      {"Azure", azure_bytes, azure, ""},
  };
}

}  // namespace photofinish::test
