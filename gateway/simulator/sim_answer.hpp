// Writes the bytes of one simulated answer, in the format of the requested API. [pure]
#pragma once

#include "gateway/simulator/plan/schedule.hpp"
#include "gateway/simulator/sim_request.hpp"
#include "proxy/json/json_text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::gateway::simulator {

enum class after_answer { keep_alive, close };

// The signature of simulated reasoning. Clients do not read the signature, and only send it back in later requests.
inline constexpr std::string_view said_signature = "c2ltdWxhdGVk";

// The data from which an answer is made. The request and the schedule must outlive the answer.
struct sim_answer_terms {
  std::string_view request_id;  // the request's id, used in x-request-id and in the answer's id
  std::int64_t created;         // the creation time of the answer in Unix seconds
  std::string_view model;
  const sim_request& request;
  const sim_schedule& schedule;
  usage_mode usage;
  after_answer after;
};

enum class answer_part { before_end, end };

// The numbers of prompt tokens that one event of the answer reports in its usage.
struct prompt_usage {
  bool has_cache = false;  // false if the usage contains nothing about a prompt cache
  std::uint64_t uncached = 0;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t written_1h = 0;  // the number of tokens in `written` that the cache keeps for an hour
};

class sim_answer {
 public:
  explicit sim_answer(const sim_answer_terms& terms)
      : request_(terms.request),
        schedule_(terms.schedule),
        request_id_(terms.request_id),
        model_json_(proxy::json_quote(terms.model)),
        created_(terms.created),
        usage_(terms.usage),
        after_(terms.after) {}
  virtual ~sim_answer() = default;

  virtual std::string_view stream_type() const { return "text/event-stream; charset=utf-8"; }

  // Appends a step of the schedule as HTTP chunks. Some steps append nothing. Call this function once for each step, in
  // the order of the steps.
  virtual void append_step(std::string& out, const sim_step& step) = 0;

  // Appends the headers and the body of an answer that is not streamed.
  virtual void append_completion(std::string& out) const = 0;

 protected:
  // Returns the prompt's token counts for the usage that the part `part` of an answer reports. `usual` is the part in
  // which this API normally reports cached tokens. A setting may choose a different part.
  prompt_usage prompt_at(answer_part part, cache_report usual) const;
  std::uint64_t output_tokens() const { return std::uint64_t{schedule_.reasoning_tokens} + schedule_.output_tokens; }

  const sim_request& request_;
  const sim_schedule& schedule_;
  std::string request_id_;
  std::string model_json_;  // quoted
  std::int64_t created_;
  usage_mode usage_;
  after_answer after_;
};

}  // namespace photofinish::gateway::simulator
