#include "gateway/requests/stages/body_stage.hpp"

#include "gateway/access/caller_digest.hpp"
#include "gateway/access/fingerprints.hpp"
#include "gateway/api/costs/cost_request.hpp"
#include "gateway/api/json_body.hpp"
#include "gateway/api/responses/item_references.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <string_view>
#include <utility>

namespace photofinish::gateway {

namespace {

// The maximum size of a body that the worker itself reads. Larger bodies are read on another thread. Even for a prompt
// of 1 MB, switching between the threads takes only a tenth of the time that reading takes. A prompt of 2 MB exceeds
// the contexts of most models.
constexpr std::size_t most_read_here = 2u << 20;

// The maximum size of a body for which the worker itself runs the guardrails. Larger bodies are processed on another
// thread.
constexpr std::size_t most_judged_here = 1u << 20;

// The byte order mark that some Windows programs write before UTF-8 text. RFC 8259 allows readers to ignore it.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

// Returns true if the body is long. A short body that refers to stored items also counts as long, because it may become
// very long when these items are inserted.
bool body_stage::is_long() const {
  const std::string& body = plan_.request.body;
  return body.size() > most_read_here ||
         (context_.called.label() == metrics::endpoint::responses && may_refer_to_items(body));
}

stage_result body_stage::read() { return take(read_body(context_.worker.outbound.parser())); }

boost::asio::awaitable<stage_result> body_stage::read_aside() {
  request_or_error read;
  std::function<void()> work = [&read, this] {
    proxy::tolerant_parser own_parser;  // a separate parser, whose memory is freed after this body was read
    read = read_body(own_parser);
    if (parsed_request* asked = std::get_if<parsed_request>(&read)) read_other_formats(*asked);
  };
  co_await context_.worker.beside(std::move(work));
  co_return take(std::move(read));
}

boost::asio::awaitable<void> body_stage::do_with_body(std::function<void()> work) {
  if (plan_.asked.body->json().size() > most_judged_here) co_await context_.worker.beside(std::move(work));
  else work();
}

boost::asio::awaitable<stage_result> body_stage::read_masked(std::string body, api_error unread) {
  parsed_request& asked = plan_.asked;
  proxy::memory_share memory = context_.memory.another();
  if (!memory.grow_to(body.size(), proxy::memory_use::arriving)) co_return memory_overloaded();
  request_or_error read;
  std::function<void()> work = [&read, &body, this] {
    proxy::tolerant_parser own_parser;
    read = context_.called.read(std::move(body), own_parser);
    if (parsed_request* masked = std::get_if<parsed_request>(&read)) read_other_formats(*masked);
  };
  co_await do_with_body(std::move(work));
  if (std::holds_alternative<api_error>(read)) co_return unread;
  parsed_request masked = std::get<parsed_request>(std::move(read));
  show_usage(masked);
  masked.state = std::move(asked.state);
  asked = std::move(masked);
  asked.body = counted_body(std::move(asked.body), std::move(memory));
  recall(asked);
  note_size();
  if (!plan_.hold_forms(context_.memory.another())) co_return memory_overloaded();
  co_return next_stage();
}

body_stage::request_or_error body_stage::read_body(proxy::tolerant_parser& parser) {
  std::string& body = plan_.request.body;
  const api& called = context_.called;
  if (called.takes_forms())
    return called.read_form({std::move(body), plan_.request.field("content-type"), plan_.path_model});
  if (body.starts_with(byte_order_mark)) body.erase(0, byte_order_mark.size());
  if (!plan_.path_model.empty()) body = with_model(std::move(body), plan_.path_model);
  if (called.label() == metrics::endpoint::responses && may_refer_to_items(body))
    if (auto error = take_items()) return *std::move(error);
  request_or_error read = called.read(std::move(body), parser);
  take_cost_request(read, parser);
  if (const parsed_request* asked = std::get_if<parsed_request>(&read)) recall(*asked);
  return read;
}

stage_result body_stage::take(request_or_error read) {
  if (auto* error = std::get_if<api_error>(&read)) return std::move(*error);
  parsed_request& asked = plan_.asked;
  request_record& record = context_.record;
  asked = std::get<parsed_request>(std::move(read));
  asked.body = counted_body(std::move(asked.body), std::move(plan_.request.memory));
  record.form = asked.form;
  record.model = asked.model.substr(0, longest_noted_name);
  record.prompt.print = prompt_print(asked.longest_field.empty() ? asked.prompt : asked.longest_field);
  note_size();
  return next_stage();
}

void body_stage::read_other_formats(parsed_request& asked) const {
  read_ahead(asked, *context_.settings, context_.who, context_.worker.attempts.dialects);
}

// Inserts the stored items whose ids the request's body contains.
std::optional<api_error> body_stage::take_items() {
  client_request& request = plan_.request;
  const digest owner = caller_digest(context_.who, plan_.keys);
  item_store& items = context_.worker.load.conversations.items();
  auto taken = with_items(std::move(request.body), context_.settings->limits.max_body,
                          [&, now = context_.worker.alarms.now()](std::string_view id) {
                            return items.find(owner, id, now);
                          },
                          [&request](std::size_t bytes) {
                            return request.memory.grow_to(bytes, proxy::memory_use::arriving);
                          });
  if (auto* error = std::get_if<api_error>(&taken)) return std::move(*error);
  request.body = std::get<std::string>(std::move(taken));
  request.memory.shrink_to(request.body.size());
  return std::nullopt;
}

// Reads the member of the body that asks for the cost of the answer. Providers must not get this member, so the request
// is read again without it.
void body_stage::take_cost_request(request_or_error& read, proxy::tolerant_parser& parser) {
  const parsed_request* const asked = std::get_if<parsed_request>(&read);
  std::optional<cost_request> wanted_cost;
  if (asked != nullptr) wanted_cost = read_cost_request(*asked->body, context_.called.label());
  if (!wanted_cost) return;
  context_.shows_cost = wanted_cost->is_wanted;
  read = context_.called.read(std::move(wanted_cost->body), parser);
  if (parsed_request* again = std::get_if<parsed_request>(&read)) show_usage(*again);
}

// If the client wants the cost in a stream, the stream also reports its usage.
void body_stage::show_usage(parsed_request& asked) const {
  if (context_.shows_cost && asked.usage == proxy::usage_chunk::unwanted) asked.usage = proxy::usage_chunk::wanted;
}

// Restores the reasoning that belongs to the request's tool calls, if the client has dropped it.
void body_stage::recall(const parsed_request& read) {
  conversation_memory& memory = context_.worker.load.conversations;
  item_store& kept = memory.call_reasoning();
  plan_.makers = &memory.makers();
  plan_.asked_by = context_.who;
  if (!read.others || kept.is_empty()) return;
  const digest owner = caller_digest(context_.who, plan_.keys);
  read.others->restore([&plan = plan_, &kept, owner, now = context_.worker.alarms.now()](std::string_view key,
                                                                                         std::size_t most) {
    auto reasoning = kept.find(owner, key, now, most);
    plan.has_restored = plan.has_restored || reasoning;
    return reasoning;
  });
}

void body_stage::note_size() {
  context_.record.prompt.bytes = plan_.asked.prompt.size();
  context_.record.prompt.extent = extent_of(plan_.asked);
}

}  // namespace photofinish::gateway
