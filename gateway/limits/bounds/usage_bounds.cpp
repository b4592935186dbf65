#include "gateway/limits/bounds/usage_bounds.hpp"

#include "gateway/limits/bounds/asked_output.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

// The number of input tokens that a request may have in addition to its own text. Such tokens come from templates, from
// prompts that providers add for tools, and from pages that a searching model reads.
constexpr std::uint64_t unseen_input = 65'536;
// The longest context of common models, in tokens. It is assumed for a model whose context is unknown.
constexpr std::uint64_t usual_context = 1'048'576;
// The number of times that a provider may bill the context for one request. A provider that runs tools itself reads and
// bills the context again in each step.
constexpr std::uint64_t contexts = 4;
// The longest answer of common models in tokens, including hidden reasoning.
constexpr std::uint64_t usual_output = 131'072;
// The largest output limit that is used to compute the bounds. If a request has a higher limit, the bounds are computed
// with this number.
constexpr std::uint64_t most_asked = 1'048'576;
// The maximum number of answers (`n`) that providers accept for one request.
constexpr std::uint64_t most_counted_answers = 128;
// The factor by which a provider's beta features may increase the output limit of a model.
constexpr std::uint64_t beta_factor = 2;

// Limits a token count before it is added or multiplied, so that the result fits in 64 bits.
std::uint64_t countable(std::uint64_t tokens) { return std::min(tokens, most_countable); }

}  // namespace

request_extent extent_of(const parsed_request& asked) {
  request_extent request;
  if (!asked.body) return request;
  request.bytes = asked.body->json().size();
  request.answers = answers_of(asked);
  request.most_output = most_of_one_answer(asked).value_or(0);
  request.is_text_alone = asked.is_text_alone;
  return request;
}

// Returns the maximum token counts of a request and its answer. Each token has at least one byte, so a text has at most
// as many tokens as bytes.
usage_bounds bounds_of(const request_extent& request, const proxy::target_facts& known, std::uint64_t text_bytes) {
  const std::uint64_t bytes = countable(request.bytes);
  const std::uint64_t context = std::max(usual_context, countable(known.context));
  const std::uint64_t asked = std::min(request.most_output, most_asked);
  const std::uint64_t one = std::max({usual_output, asked, beta_factor * countable(known.max_output)});
  const std::uint64_t answers = std::min(request.answers, most_counted_answers);
  return {.input = bytes + (request.is_text_alone ? unseen_input : contexts * context),
          .output = countable(countable(text_bytes) + countable(one) * answers)};
}

usage_bounds least_bounds_of(const request_extent& request, std::uint64_t text_bytes) {
  return bounds_of(request, {}, text_bytes);
}

bool is_within(const proxy::token_usage& usage, const usage_bounds& bounds) {
  return usage.input_tokens <= bounds.input && usage.output_tokens <= bounds.output;
}

void cut_to(const usage_bounds& bounds, proxy::token_usage& usage) {
  usage.input_tokens = std::min(usage.input_tokens, bounds.input);
  usage.output_tokens = std::min(usage.output_tokens, bounds.output);
  usage.reasoning_tokens = std::min(usage.reasoning_tokens, usage.output_tokens);
  usage.cached_input_tokens = std::min(usage.cached_input_tokens, usage.input_tokens);
  usage.written_input_tokens = std::min(usage.written_input_tokens, usage.input_tokens - usage.cached_input_tokens);
  usage.written_for_hour_tokens = std::min(usage.written_for_hour_tokens, usage.written_input_tokens);
}

}  // namespace photofinish::gateway
