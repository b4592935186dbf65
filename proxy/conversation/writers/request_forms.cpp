#include "proxy/conversation/writers/request_forms.hpp"

#include "proxy/conversation/writers/converse_form.hpp"
#include "proxy/conversation/writers/gemini_form.hpp"
#include "proxy/conversation/writers/messages_form.hpp"
#include "proxy/conversation/writers/openai/chat_form.hpp"
#include "proxy/conversation/writers/openai/responses_form.hpp"

#include <algorithm>
#include <array>
#include <variant>

namespace photofinish::proxy {
namespace {

struct known_form {
  wire_format format;
  translated_text (*write)(const conversation&);
};

// The table of formats in which a conversation can be written. The table contains every format that a dialect uses.
constexpr auto writers = std::to_array<known_form>({
    {wire_format::openai_chat, write_chat},
    {wire_format::openai_responses, write_responses},
    {wire_format::anthropic_messages, write_messages},
    {wire_format::gemini, write_gemini},
    {wire_format::bedrock_converse, write_converse},
});

}  // namespace

void request_forms::restore(reasoning_lookup find) {
  if (said_) restore_reasoning(*said_, find);
  else if (read_ != nullptr) find_ = std::move(find);
}

const translated_request* request_forms::in(wire_format format) {
  const auto writer = std::find_if(writers.begin(), writers.end(),
                                   [format](const known_form& each) { return each.format == format; });
  if (writer == writers.end()) return nullptr;
  const auto [made, is_new] = made_.try_emplace(format);
  if (is_new) made->second = write(writer->write);
  return &made->second;
}

const conversation* request_forms::read_now() {
  if (read_ != nullptr) {
    read_conversation said = std::exchange(read_, nullptr)(*body_);
    if (auto* fault = std::get_if<request_fault>(&said)) fault_ = std::move(fault->param);
    else said_ = std::make_unique<conversation>(std::get<conversation>(std::move(said)));
    if (said_ && find_) restore_reasoning(*said_, std::exchange(find_, {}));
  }
  return said_.get();
}

translated_request request_forms::write(translated_text (*form)(const conversation&)) {
  if (read_now() == nullptr) return {nullptr, {}, fault_.empty() ? "messages" : fault_};
  translated_text text = form(*said_);
  translated_request made{nullptr, std::move(text.dropped), std::move(text.unsupported)};
  if (made.unsupported.empty()) made.body = std::make_shared<const client_body>(std::move(text.json));
  return made;
}

std::size_t request_forms::held_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [format, each] : made_) bytes += each.body ? each.body->json().size() : 0;
  if (!said_) return bytes;
  for (const std::string& each : said_->made) bytes += each.size();
  return bytes + (said_->blocks.capacity() + said_->parts.capacity()) * sizeof(block) +
         said_->tools.capacity() * sizeof(tool);
}

}  // namespace photofinish::proxy
