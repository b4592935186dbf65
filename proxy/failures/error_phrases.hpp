// Facts that only the sentence in a provider's error reveals, with one table of recorded errors for each fact. [pure]
// A sentence may quote the caller's own words. Quoted words do not count, and a fact that holds for all callers is read
// only from the beginning of a whole sentence.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// Converts to lower case and removes text in quotation marks. Text in backticks stays, because providers write their
// own field names in them.
std::string unquoted_words(std::string_view message);

// All texts that these functions take must be in lower case.

// The prompt, together with the possible answer, does not fit into the model's context.
bool says_context_is_full(std::string_view message);

// Credit or quota is used up. "Quota" alone is not enough, because Google also uses the word for requests per minute.
bool says_quota_is_gone(std::string_view message);

// The credit of the account is used up, as reported by Anthropic with 400 and xAI with 403 at the beginning of the
// sentence.
bool begins_with_spent_credit(std::string_view message, int status);

// Google and xAI reject the key with 400, at the beginning of the sentence.
bool begins_with_refused_key(std::string_view message);

}  // namespace photofinish::proxy
