#include "gateway/content/content_entry.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

using proxy::delta_kind;
using proxy::wire_format;

// the memory that each part of an answer needs in addition to its text: for the object and for its JSON
constexpr std::size_t part_bytes = 64;

// Returns the name for a kind of part. Returns an empty text if such parts are not logged. Signatures and opaque texts
// are not logged, because people cannot use them.
std::string_view word_of(delta_kind kind) {
  switch (kind) {
    case delta_kind::text: return "text";
    case delta_kind::refusal: return "refusal";
    case delta_kind::reasoning: return "reasoning";
    case delta_kind::call: return "call";
    case delta_kind::call_arguments: return "arguments";
    case delta_kind::transcript: return "transcript";
    case delta_kind::citation: return "citation";
    case delta_kind::finish: return "finish";
    case delta_kind::lost_part: return "lost_part";
    case delta_kind::image:
    case delta_kind::logprobs:
    case delta_kind::signature:
    case delta_kind::opaque:
    case delta_kind::media_type: break;
  }
  return {};
}

// True for wire formats in which only deltas contain parts of the answer. In these formats, events without deltas
// contain no part of the answer.
bool speaks_in_deltas(wire_format format) {
  switch (format) {
    case wire_format::none:
    case wire_format::openai_chat:
    case wire_format::openai_responses:
    case wire_format::openai_completions:
    case wire_format::anthropic_messages:
    case wire_format::gemini:
    case wire_format::bedrock_converse: return true;
    default: return false;
  }
}

bool is_sound(wire_format format) {
  return format == wire_format::openai_speech || format == wire_format::openai_speech_events;
}

// True if each event of this kind begins a new part of the answer.
bool stands_alone(delta_kind kind) {
  return kind == delta_kind::call || kind == delta_kind::citation || kind == delta_kind::finish;
}

std::string_view text_of(const proxy::delta& said) {
  if (said.kind != delta_kind::finish || !said.text.empty()) return said.text;
  return proxy::to_string(said.reason);
}

}  // namespace

std::string_view cut_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

void keep_request(content_entry& entry, std::string_view body) {
  entry.request.bytes = body.size();
  const std::string_view kept = cut_text(body, entry.max_line);
  if (entry.answer.take_room(kept.size())) entry.request.text = kept;
}

bool kept_answer::take_room(std::size_t bytes_beside) {
  if (!memory_.grow_to(bytes_beside, proxy::memory_use::arriving)) return false;
  beside_ = bytes_beside;
  return true;
}

void kept_answer::see(const proxy::stream_event& event) {
  for (const proxy::delta& each : event.deltas) {
    bytes_ += each.text.size();
    if (const std::string_view kind = word_of(each.kind); !kind.empty())
      add(kind, each.choice, text_of(each), stands_alone(each.kind) ? joining::never : joining::with_the_last);
  }
  const bool has_own_text = event.deltas.empty() && !speaks_in_deltas(event.spoken);
  if (!has_own_text) return;
  for (const std::string_view piece : event.json) {
    bytes_ += piece.size();
    if (!is_sound(event.spoken)) add("json", 0, piece, joining::with_the_last);
  }
}

void kept_answer::add(std::string_view kind, std::int64_t choice, std::string_view text, joining how) {
  const bool is_alone = how == joining::never;
  if (is_cut_ || (text.empty() && !is_alone)) return;
  const bool goes_on =
      !is_alone && !parts_.empty() && parts_.back().kind == kind && parts_.back().choice == choice;
  const std::size_t taken = held_ + (goes_on ? 0 : part_bytes);
  const std::string_view fits = cut_text(text, longest_ - std::min(taken, longest_));
  is_cut_ = fits.size() < text.size() || taken > longest_;
  if (is_cut_ && fits.empty()) return;
  if (!memory_.grow_to(beside_ + taken + fits.size(), proxy::memory_use::arriving)) {
    is_cut_ = true;
    return;
  }
  held_ = taken + fits.size();
  if (goes_on) parts_.back().text += fits;
  else parts_.push_back({kind, choice, std::string(fits)});
}

void kept_answer::restart() {
  parts_.clear();
  held_ = 0, bytes_ = 0;
  is_cut_ = false;
  memory_.shrink_to(beside_);
}

}  // namespace photofinish::gateway
