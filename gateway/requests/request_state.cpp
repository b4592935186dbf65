// What a request goes on with, and what of its answer may be asked for later: request_plan, continued.
#include "gateway/api/conversation/opaque_recorder.hpp"
#include "gateway/api/conversation/reasoning_keeper.hpp"
#include "gateway/api/messages/message_words.hpp"
#include "gateway/api/responses/item_references.hpp"
#include "gateway/requests/kept_target.hpp"
#include "gateway/attempts/request_plan.hpp"
#include "proxy/json/json_text.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t most_kept_items = 1000;  // of one answer: who sends more is not to empty the store

// The signatures of targets of chat are read only for clients of other APIs: a chat answer passes.
bool may_be_signed(proxy::wire_format spoken, proxy::wire_format asked) {
  using enum proxy::wire_format;
  if (spoken == openai_chat) return asked != openai_chat;
  return spoken == openai_responses || spoken == anthropic_messages || spoken == gemini || spoken == bedrock_converse;
}

}  // namespace

bool request_plan::may_grow(const api& called) const {
  return called.label() == metrics::endpoint::responses && may_refer_to_items(request.body);
}

std::optional<api_error> request_plan::take_items(kept_items& items, caller who, std::size_t max_body,
                                                   proxy::instant now) {
  if (!may_refer_to_items(request.body)) return std::nullopt;
  const digest owner = caller_digest(who, keys);
  auto taken = with_items(std::move(request.body), max_body,
                          [&](std::string_view id) { return items.find(owner, id, now); },
                          [this](std::size_t bytes) {
                            return request.memory.grow_to(bytes, proxy::memory_use::arriving);
                          });
  if (auto* error = std::get_if<api_error>(&taken)) return std::move(*error);
  request.body = std::get<std::string>(std::move(taken));
  request.memory.shrink_to(request.body.size());
  return std::nullopt;
}

void request_plan::recall(const ask& read, conversation_memory& from, caller who, const proxy::alarms& clock) {
  kept_items& kept = from.call_reasoning();
  makers = &from.makers();
  asked_by = who;
  if (!read.others || kept.is_empty()) return;
  const digest owner = caller_digest(who, keys);
  read.others->restore([this, &kept, owner, now = clock.now()](std::string_view key, std::size_t most) {
    auto found = kept.find(owner, key, now, most);
    has_restored = has_restored || found;
    return found;
  });
}

std::unique_ptr<answer_writer> request_plan::remembering(std::unique_ptr<answer_writer> writer,
                                                          const winning_attempt& winner, conversation_memory& in,
                                                          caller who, const proxy::alarms& clock) const {
  const bool is_signed = may_be_signed(winner.spoken, asked.format);
  const bool drops_reasoning = winner.spoken != asked.format && asked.others;
  if (!is_signed && !drops_reasoning) return writer;
  const digest whose = caller_digest(who, keys);
  const auto account = memory.whose();
  reasoning_makers& into = in.makers();
  if (is_signed) {
    opaque_recorder::recording recording{
        .id_of = [&into](std::string_view opaque) { return into.id_of(opaque); },
        .note = [&into, &clock, whose, account, maker = maker_at(winner.index, into)](std::uint64_t id) {
          into.note(whose, account, id, maker, clock.now());
        }};
    const bool is_whole = asked.form == answer_form::whole;
    writer = std::make_unique<opaque_recorder>(
        std::move(writer), std::move(recording),
        is_whole ? opaque_recorder::given::at_end : opaque_recorder::given::by_event);
  }
  if (!drops_reasoning) return writer;
  auto keep = [&kept = in.call_reasoning(), &clock, whose, account](std::string_view key, std::string_view reasoning) {
    kept.put(whose, account, key, reasoning, clock.now());
  };
  return std::make_unique<reasoning_keeper>(std::move(writer), winner.answer_id, std::move(keep),
                                            reasoning_limits.longest);
}

std::optional<api_error> request_plan::open_state(const response_ids& ids, caller who) {
  asked_state& state = asked.state;
  if (state.previous.empty()) return std::nullopt;
  auto kept = ids.opened(state.previous, caller_digest(who, keys));
  if (!kept && asked.format == proxy::wire_format::anthropic_messages) return no_such_thread();
  if (!kept) return no_such_response(state.previous, "previous_response_id");
  state.previous_there = std::move(kept->id);
  only = std::move(kept->target);
  return std::nullopt;
}

void request_plan::note_unsaid_store() {
  asked.state.is_unsaid = setup.is_store_unsaid;
  if (!setup.is_kept_unsaid) return;
  asked.state.is_kept = true;
  if (asked.state.field.empty()) asked.state.field = "store";
}

void request_plan::make_known(
    answer_identity& answer, const target_name& winner, const response_ids& ids, caller who,
    std::function<void(const digest&, std::string_view id, std::string_view item)> keep) const {
  const bool is_response = asked.format == proxy::wire_format::openai_responses;
  if (!is_response && asked.format != proxy::wire_format::anthropic_messages) return;
  const digest owner = caller_digest(who, keys);
  if (asked.state.is_kept)
    answer.shown_id = [ids, owner, winner](std::string_view id) {
      return ids.sealed({winner, std::string(id)}, owner);
    };
  if (!is_response) return;
  answer.previous_id = asked.state.previous;
  answer.keep_items = [owner, keep = std::move(keep)](std::string_view output) {
    proxy::json_walk items(output);
    for (std::size_t count = 0; count < most_kept_items; ++count) {
      const auto item = items.next_element();
      if (!item) return;
      const auto id = proxy::json_find(*item, "id");
      if (id && proxy::json_is_string(*id)) keep(owner, proxy::json_unescape(proxy::json_raw_string(*id)), *item);
    }
  };
}

}  // namespace photofinish::gateway
