#include "gateway/simulator/plan/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace photofinish::gateway::simulator {
namespace {

// The text from which simulated answers are made. It contains only frequent short words. For such words, usual
// tokenizers make one token of each word with the space before it, and one token of each punctuation mark. Therefore
// the number of tokens is the number of words and punctuation marks.
constexpr std::string_view passage =
    " The first light came over the hill and the town began to move. A man opened the door of his shop, put "
    "two chairs on the street and looked at the sky. It was going to be a long day, but he did not mind. "
    "The road was dry, the air was cool and the old clock above the station said six. A woman with a red bag "
    "asked him for the way to the river. He told her to follow the white wall, turn left at the school and "
    "walk until she could hear the water. She thanked him and went. After that came the children, then the "
    "mail, then a dog that nobody knew. By noon the sun stood high and people looked for a place to rest. "
    "They talked about the price of bread, the new bridge and the game last night. Some of them had seen "
    "it, most had only heard the noise. In the evening the wind turned. The man took his chairs back into "
    "the shop, closed the door and counted the day. It had been a good one.";

// The tokens of the text from which answers are made, and the index of the first token of each sentence.
struct tokens_of_passage {
  std::vector<std::string_view> tokens;
  std::vector<std::size_t> sentences;

  tokens_of_passage() {
    sentences.push_back(0);
    for (std::size_t from = 0; from < passage.size();) {
      const std::size_t to = std::min(passage.find_first_of(" ,.", from + 1), passage.size());
      tokens.push_back(passage.substr(from, to - from));
      if (tokens.back() == ".") sentences.push_back(tokens.size());
      from = to;
    }
    sentences.pop_back();  // removes the last index, because no sentence begins at the end of the text
  }
};

const tokens_of_passage& cut_passage() {
  static const tokens_of_passage cut;
  return cut;
}

// The random numbers for one request. Each request draws the same numbers in the same order, so a setting never changes
// the random numbers that another setting uses.
struct chances {
  double fault;
  double stall;
  double spread;  // standard normal
  std::size_t sentence;
  double length;

  explicit chances(sim_engine& engine) {
    std::uniform_real_distribution<double> uniform;
    fault = uniform(engine);
    stall = uniform(engine);
    spread = std::normal_distribution<double>()(engine);
    sentence = engine() % cut_passage().sentences.size();
    length = uniform(engine);
  }
};

microseconds draw_ttft(const sim_behaviour& behaviour, const chances& drawn) {
  const bool is_stall = drawn.stall < behaviour.stall_share;
  const double median =
      static_cast<double>(behaviour.ttft.count()) * behaviour.slow * (is_stall ? behaviour.stall_factor : 1);
  const double sigma = is_stall ? behaviour.stall_sigma : behaviour.ttft_sigma;
  // Limits the time to ten minutes. Otherwise a very large random value could overflow a clock.
  const double most = std::max(median, 600e6);
  return microseconds(std::llround(std::min(median * std::exp(sigma * drawn.spread), most)));
}

// Adds the steps of a streamed answer to the schedule, one chunk after another. Stops when the stream ends, or when a
// simulated fault ends it early.
class step_writer {
 public:
  step_writer(const sim_behaviour& behaviour, const chances& drawn, sim_schedule& into)
      : behaviour_(behaviour), into_(into), next_token_(cut_passage().sentences[drawn.sentence]) {}

  void add(step_kind kind) { into_.steps.push_back({.kind = kind, .at = at_}); }
  void wait_until(microseconds at) { at_ = std::max(at_, at); }

  // Adds up to `tokens` tokens of one kind. The whole answer has at most `limit` tokens.
  void add_tokens(step_kind kind, std::uint32_t tokens, std::uint32_t limit) {
    is_part_begin_ = true;
    for (std::uint32_t left = tokens; left > 0;) {
      const std::uint32_t size = std::min({left, behaviour_.tokens_per_chunk, limit - sent_});
      if (size == 0) return;
      left -= size;
      add_chunk(kind, size, left == 0);
    }
  }

 private:
  void add_chunk(step_kind kind, std::uint32_t size, bool is_last) {
    at_ = into_.ttft + since_first_chunk(size);
    if (kind == step_kind::arguments && is_part_begin_) add(step_kind::tool_name);
    const std::size_t from = into_.text.size();
    if (kind == step_kind::arguments && is_part_begin_) into_.text += R"({"text":")";
    for (std::uint32_t i = 0; i < size; ++i) add_word();
    if (kind == step_kind::arguments && is_last) into_.text += R"("})";
    into_.steps.push_back({.kind = kind,
                           .at = at_,
                           .tokens = size,
                           .text_from = from,
                           .text_size = into_.text.size() - from});
  }

  // Adds a chunk with this number of tokens, and returns the time at which it is due, counted from the first chunk. The
  // time is (tokens so far - tokens of the first chunk) / tokens_per_second.
  microseconds since_first_chunk(std::uint32_t size) {
    sent_ += size;
    if (first_chunk_ == 0) first_chunk_ = size;
    if (behaviour_.tokens_per_second <= 0) return microseconds{0};
    return microseconds(std::llround(1e6 * behaviour_.slow * (sent_ - first_chunk_) / behaviour_.tokens_per_second));
  }

  void add_word() {
    std::string_view word = cut_passage().tokens[next_token_];
    if (is_part_begin_ && word.front() == ' ') word.remove_prefix(1);
    into_.text += word;
    is_part_begin_ = false;
    if (++next_token_ == cut_passage().tokens.size()) next_token_ = 0;
  }

  const sim_behaviour& behaviour_;
  sim_schedule& into_;
  microseconds at_{0};
  std::size_t next_token_;
  std::uint32_t sent_ = 0;
  std::uint32_t first_chunk_ = 0;
  bool is_part_begin_ = true;
};

step_kind step_of(cut_kind kind) {
  switch (kind) {
    case cut_kind::stall: return step_kind::silence;
    case cut_kind::reset: return step_kind::reset;
    case cut_kind::close: return step_kind::close;
    case cut_kind::error_event: return step_kind::error_event;
  }
  return step_kind::silence;
}

// Sets the number of tokens in the answer. The request may limit this number.
void set_lengths(const sim_behaviour& behaviour, const sim_params& params, const chances& drawn, sim_schedule& into) {
  const bool is_long = drawn.length < behaviour.long_answers.share;
  const std::uint32_t wanted = is_long ? behaviour.long_answers.tokens : behaviour.output_tokens;
  const std::uint64_t most = params.max_tokens.value_or(UINT64_MAX);
  const auto reasoning = std::min<std::uint64_t>(behaviour.reasoning_tokens, most);
  const auto output = std::min<std::uint64_t>(wanted, most - reasoning);
  into.reasoning_tokens = static_cast<std::uint32_t>(reasoning);
  into.output_tokens = static_cast<std::uint32_t>(output);
  const bool is_capped = reasoning < behaviour.reasoning_tokens || output < wanted;
  const bool has_tool_call = behaviour.is_tool_call && into.output_tokens > 0;
  into.finish_reason = is_capped ? "length" : has_tool_call ? "tool_calls" : "stop";
}

void write_stream(const sim_behaviour& behaviour, const sim_params& params, const sim_cut* cut,
                  step_writer& writer, sim_schedule& into) {
  const bool is_error_first = cut && cut->kind == cut_kind::error_event && cut->after_tokens == 0;
  const microseconds role_at = std::min(behaviour.role_delay.value_or(into.ttft), into.ttft);
  writer.wait_until(is_error_first ? into.ttft : role_at);
  if (is_error_first) return writer.add(step_kind::error_event);
  writer.add(step_kind::role);
  const std::uint32_t limit = cut ? cut->after_tokens : UINT32_MAX;
  const step_kind output = behaviour.is_tool_call ? step_kind::arguments : step_kind::content;
  writer.add_tokens(step_kind::reasoning, into.reasoning_tokens, limit);
  writer.add_tokens(output, into.output_tokens, limit);
  writer.wait_until(into.ttft);  // an answer without tokens ends when its first token would have been sent
  if (cut) return writer.add(step_of(cut->kind));
  writer.add(step_kind::finish);
  const bool is_asked = behaviour.usage == usage_mode::asked && params.include_usage;
  if (is_asked || behaviour.usage == usage_mode::always) writer.add(step_kind::usage);
  writer.add(step_kind::done);
}

}  // namespace

std::uint32_t sim_schedule::tokens_sent() const {
  std::uint32_t sum = 0;
  for (const sim_step& step : steps) sum += step.tokens;
  return sum;
}

std::string sim_schedule::text_of(step_kind kind) const {
  std::string joined;
  for (const sim_step& step : steps)
    if (step.kind == kind) joined += text_of(step);
  return joined;
}

sim_schedule draw_schedule(const sim_behaviour& behaviour, sim_engine& engine, const sim_params& params) {
  const chances drawn(engine);
  sim_schedule schedule;
  schedule.ttft = draw_ttft(behaviour, drawn);
  schedule.queue_share = behaviour.queue_share;
  set_lengths(behaviour, params, drawn, schedule);
  step_writer writer(behaviour, drawn, schedule);
  const bool is_faulty = drawn.fault < behaviour.faults.share;
  if (is_faulty && behaviour.faults.hang) {
    writer.add(step_kind::silence);
  } else if (is_faulty && behaviour.faults.status != 0) {
    writer.wait_until(behaviour.faults.status_after);
    writer.add(step_kind::refuse);
  } else if (is_faulty && behaviour.faults.done_only) {
    schedule.reasoning_tokens = schedule.output_tokens = 0;
    writer.wait_until(schedule.ttft);
    writer.add(step_kind::done);
  } else {
    write_stream(behaviour, params, is_faulty && behaviour.faults.cut ? &*behaviour.faults.cut : nullptr, writer,
                 schedule);
  }
  return schedule;
}

}  // namespace photofinish::gateway::simulator
