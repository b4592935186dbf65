// Facts that only a provider's sentence tells: one table for each fact, from errors that were recorded. [pure]
// A sentence may quote the caller's own words. Quoted words do not count, and a fact that holds for all callers is read
// only from the beginning of a whole sentence.
#pragma once

#include <string>
#include <string_view>

namespace photofinish::proxy {

// In lower case, and without what stands in quotation marks. Backticks stay: providers write names of their own fields
// in them.
std::string unquoted_words(std::string_view message);

// All texts of these in lower case.

// The prompt, with the answer that may follow, does not fit into the model's context.
bool says_context_is_full(std::string_view message);

// Credit or quota is gone. "Quota" alone is not enough: Google says it of requests per minute.
bool says_quota_is_gone(std::string_view message);

// The same of the account that was asked, as Anthropic says it with 400 and xAI with 403: the sentence's beginning.
bool begins_with_spent_credit(std::string_view message, int status);

// A key that is refused with 400, by Google and xAI: the sentence's beginning.
bool begins_with_refused_key(std::string_view message);

}  // namespace photofinish::proxy
