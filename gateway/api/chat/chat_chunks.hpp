// Converts the events of a provider whose API is not chat into chunks (chat.completion.chunk) of OpenAI's chat API.
// [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/chat/chat_calls.hpp"
#include "gateway/api/chat/chat_reasoning_chunks.hpp"
#include "gateway/api/conversation/lost_names.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace photofinish::gateway {

// Returns the value of a chunk's `usage` member.
std::string chat_usage_json(const proxy::token_usage& usage);

class chat_chunks {
 public:
  explicit chat_chunks(answer_identity identity, expected_calls calls = {})
      : identity_(std::move(identity)), calls_(std::move(calls), identity_.id) {}

  // Returns a chunk for each delta that OpenAI's chat API can represent. Signed or opaque reasoning is written as
  // reasoning_details.
  std::vector<std::string> of(const proxy::stream_event& event);
  // Called after the last event. Returns chunks for the texts that are still buffered.
  std::vector<std::string> rest();

  // Returns the memory in bytes of the buffered texts and of the known choices.
  std::size_t held_bytes() const {
    return thoughts_.held_bytes() + calls_.held_bytes() + lost_.held_bytes() +
           (begun_.size() + images_.size()) * choice_bytes;
  }

  // Returns a separate chunk with the last usage that the provider reported, or nothing if there was none.
  std::optional<std::string> usage() const;

 private:
  std::optional<std::string> members_of(const proxy::delta& each);
  std::optional<std::string> annotation_member(const proxy::delta& each);
  std::string take_logprobs(std::int64_t choice);
  std::string image_member(const proxy::delta& each);
  std::string chunk(std::string_view choices_and_more) const;
  std::string choice_chunk(std::int64_t choice, const std::string& members, const proxy::delta* said = nullptr);

  // The memory in bytes of one choice and its entry in the set of known choices.
  static constexpr std::size_t choice_bytes = 64;

  answer_identity identity_;
  std::set<std::int64_t> begun_;  // The choices whose role has been sent. A provider may number its choices in any way.
  std::optional<proxy::token_usage> usage_;
  chat_reasoning_chunks thoughts_;
  chat_calls calls_;
  std::map<std::int64_t, std::size_t> images_;  // the number of images in each choice
  std::map<std::int64_t, std::string> logprobs_;  // maps each choice to the log probabilities of its next text
  lost_names lost_;
};

}  // namespace photofinish::gateway
