// Creates requests that hide a word in one of their texts, for each client API and each dialect. A table lists the places of these texts
// and the spellings of the word.
#pragma once

#include "tests/integration/guardrails/guardrail_fixture.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::testing {

// A request member that may contain text. In `body`, @ stands for the member's value, and $ for the model.
struct hiding_place {
  const char* name;
  const char* path;
  const char* body;
  const char* member;
  // The value of the second member with this name, for spellings in which the request contains the member twice.
  const char* harmless = R"("nice")";
};

enum class spelling { plain, escaped, first, last, escaped_first, escaped_last, nested, as_name };
inline constexpr spelling all_spellings[] = {spelling::plain,        spelling::escaped, spelling::first,
                                             spelling::last,         spelling::escaped_first,
                                             spelling::escaped_last, spelling::nested,  spelling::as_name};
const char* to_string(spelling how);

// The places of texts in requests of the chat, Responses and Messages APIs, and of APIs that have no conversations.
extern const std::vector<hiding_place> conversation_places;
extern const std::vector<hiding_place> other_places;

std::string request_with(const hiding_place& place, spelling how, const std::string& model, const std::string& word);

// Returns all hidden words in a JSON text. It searches strings, member names, repeated members, and JSON inside strings. A text that is not
// JSON is searched as a whole.
std::set<std::string> words_in(const std::string& text);

class sent_texts_fixture : public guardrail_fixture {
 protected:
  sent_texts_fixture();

  struct passage {
    int status = 0;
    std::set<std::string> shown, sent;
  };
  passage pass(const std::string& path, const std::string& body, const std::string& fields = "");
  // Sends a request for each place and each spelling of the hidden word. If a check fails, its message names the place and the spelling.
  void expect_shown(const std::vector<hiding_place>& places, const std::string& model);

  static std::string hidden_word(std::size_t number) { return "zq" + std::to_string(number) + "x"; }

  std::mutex heard_guard_;
  std::string shown_;
  std::vector<std::string> sent_;
  std::size_t cases_ = 0, sent_cases_ = 0, failed_ = 0;
  scripted_provider recorder_{[this](provider_call& call) {
    {
      const std::lock_guard lock(heard_guard_);
      sent_.push_back(call.request().body);
    }
    call.answer(400, R"({"error":{"message":"no","type":"invalid_request_error"}})");
  }};
};

}  // namespace photofinish::testing
