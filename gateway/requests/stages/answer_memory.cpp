#include "gateway/requests/stages/answer_memory.hpp"

#include "gateway/access/caller_digest.hpp"
#include "gateway/api/conversation/opaque_recorder.hpp"
#include "gateway/api/conversation/reasoning_keeper.hpp"
#include "proxy/json/json_text.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

// The maximum number of stored items per answer. Without a maximum, one client could fill the whole store.
constexpr std::size_t most_kept_items = 1000;

// Returns true if the answer may contain signatures of reasoning that must be remembered. A chat answer passes
// unchanged to a chat client, so its signatures are remembered only for clients of other APIs.
bool may_be_signed(proxy::wire_format spoken, proxy::wire_format asked) {
  using enum proxy::wire_format;
  if (spoken == openai_chat) return asked != openai_chat;
  return spoken == openai_responses || spoken == anthropic_messages || spoken == gemini || spoken == bedrock_converse;
}

}  // namespace

void make_known(request_context& context, const request_plan& plan, answer_identity& answer,
                const target_name& winner) {
  const parsed_request& asked = plan.asked;
  const bool is_response = asked.format == proxy::wire_format::openai_responses;
  if (!is_response && asked.format != proxy::wire_format::anthropic_messages) return;
  const digest owner = caller_digest(context.who, plan.keys);
  if (asked.state.is_kept)
    answer.shown_id = [ids = ids_of(context.worker, *context.settings), owner, winner](std::string_view id) {
      return ids.sealed({winner, std::string(id)}, owner);
    };
  if (!is_response) return;
  answer.previous_id = asked.state.previous;
  answer.keep_items = [owner, &worker = context.worker, account = context.memory.whose()](std::string_view output) {
    proxy::json_walk items(output);
    for (std::size_t count = 0; count < most_kept_items; ++count) {
      const auto item = items.next_element();
      if (!item) return;
      const auto id = proxy::json_find(*item, "id");
      if (!id || !proxy::json_is_string(*id)) continue;
      const std::string name = proxy::json_unescape(proxy::json_raw_string(*id));
      worker.load.conversations.items().put(owner, account, name, *item, worker.alarms.now());
    }
  };
}

std::unique_ptr<answer_writer> remember_reasoning(request_context& context, const request_plan& plan,
                                                  std::unique_ptr<answer_writer> writer, std::size_t winner,
                                                  proxy::wire_format spoken) {
  const bool is_signed = may_be_signed(spoken, plan.asked.format);
  const bool drops_reasoning = spoken != plan.asked.format && plan.asked.others;
  if (!is_signed && !drops_reasoning) return writer;
  conversation_memory& memory = context.worker.load.conversations;
  const proxy::alarms& clock = context.worker.alarms;
  const digest whose = caller_digest(context.who, plan.keys);
  const auto account = plan.memory.whose();
  reasoning_makers& makers = memory.makers();
  if (is_signed) {
    opaque_recorder::recording recording{
        .id_of = [&makers](std::string_view opaque) { return makers.id_of(opaque); },
        .note = [&makers, &clock, whose, account, maker = plan.maker_at(winner, makers)](std::uint64_t id) {
          makers.note(whose, account, id, maker, clock.now());
        }};
    const bool is_whole = plan.asked.form == answer_form::whole;
    writer = std::make_unique<opaque_recorder>(
        std::move(writer), std::move(recording),
        is_whole ? opaque_recorder::given::at_end : opaque_recorder::given::by_event);
  }
  if (!drops_reasoning) return writer;
  auto keep = [&kept = memory.call_reasoning(), &clock, whose, account](std::string_view key,
                                                                       std::string_view reasoning) {
    kept.put(whose, account, key, reasoning, clock.now());
  };
  return std::make_unique<reasoning_keeper>(std::move(writer), context.record.id, std::move(keep),
                                            reasoning_limits.longest);
}

}  // namespace photofinish::gateway
