// Finds facts that only the wording of a provider's error message reveals, for example that the credit is used up. Each
// fact has a table of recorded phrases. An error message may quote the caller's own words, so quoted words are removed
// first. A fact that concerns all callers counts only if the message begins with one of the phrases. [pure]
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Converts a message to lower case and removes text in quotation marks. Text in backticks stays, because providers
// write their own field names in them.
std::string unquoted_words(std::string_view message);

// The following functions require texts in lower case.

// True if the message says that the prompt and the possible answer together do not fit into the model's context.
bool says_context_is_full(std::string_view message);

// True if the message says that credit or quota is used up. "Quota" alone is not enough, because Google also uses the
// word for requests per minute.
bool says_quota_is_gone(std::string_view message);

// True if the message begins with a sentence about used-up credit, as Anthropic sends it with the
// status 400 and xAI with 403.
bool begins_with_spent_credit(std::string_view message, int status);

// True if the message begins with a sentence that rejects the key. Google and xAI send such
// sentences with the status 400.
bool begins_with_refused_key(std::string_view message);

}  // namespace photofinish::proxy
