#include "gateway/attempts/race_builder.hpp"

#include "gateway/attempts/setup/hint_account.hpp"
#include "gateway/http/date_of_now.hpp"
#include "proxy/dialects/hints/cache_hint.hpp"
#include "proxy/dialects/models/client_names.hpp"
#include "proxy/dialects/openai/chunks/chunk_memory.hpp"
#include "proxy/make_exchange.hpp"
#include "proxy/upstream_call.hpp"

namespace photofinish::gateway {

racing::race_run race_builder::race(const race_setup& setup, racing::race_run::upstream_factory make_upstream,
                                    proxy::alarms& alarms, const boost::asio::any_io_executor& executor,
                                    proxy::memory_share memory) {
  return racing::race_run(
      setup.planned.plan, std::move(make_upstream), alarms, executor,
      [&setup](std::size_t index) { return setup.attempt(index).provider->limits.max_buffered_bytes; },
      std::move(memory));
}

std::vector<planned_attempt> race_builder::planned(const race_setup& setup) {
  std::vector<planned_attempt> all;
  all.reserve(setup.planned.chosen.size());
  for (std::size_t index = 0; index < setup.planned.chosen.size(); ++index) all.push_back(planned_at(setup, index));
  return all;
}

planned_attempt race_builder::planned_at(const race_setup& setup, std::size_t index) {
  const race_candidate& each = setup.attempt(index);
  return {each.target, each.id, each.key.source == key_source::own, each.provider->behaves.billing,
          each.target.tier.value_or(proxy::price_tier::standard)};
}

// Returns the target's current key if the key expires. Returns null if the target has no expiring credential.
std::shared_ptr<const held_credential> race_builder::known_key(const race_candidate& target) const {
  auto held = credentials_.find(*target.provider->key.credentials);
  return held && !held->key.empty() ? std::move(held) : nullptr;
}

namespace {

void add_hint(const proxy::attempt_request& wanted, const race_candidate& target, const attempt_question& question,
              proxy::prepared_request& prepared, std::vector<std::string>& dropped) {
  if (question.print == nullptr || wanted.target.behaves.prompt_cache.hint == proxy::prompt_hint_fields{}) return;
  const std::string account = hint_account(target);
  const proxy::hint_source source{*question.print, *question.asked.body, question.asked.format, account};
  if (proxy::add_cache_hint(wanted, source, prepared)) std::erase(dropped, "prompt_cache_key");
}

}  // namespace

made_attempt race_builder::attempt(const race_candidate& target, attempt_question question, attempt_manner how) const {
  made_attempt made;
  const proxy::provider& provider = *target.provider;
  std::shared_ptr<const held_credential> known;
  if (has_expiring_key(target)) known = known_key(target);
  if (known) made.credential = known->serial;
  const proxy::secret& key = known ? known->key : target.key.key;
  const parsed_request& asked = question.asked;
  const std::string_view model = target.target.sent_model();
  const proxy::dialect& dialect = dialect_of(target);
  const asked_form form =
      form_for(asked, dialect.speaks(asked.format, provider, model, *asked.body));
  const proxy::attempt_request wanted{form.body, form.format, provider,  model,                      key,
                                      question.forwarded, how.shape,   asked.state.previous_there, how.reasoning,
                                      form.format != asked.format, how.is_continued,  asked.state.is_unsaid,
                                      how.known.get(), target.target.tier};
  proxy::prepared_request prepared = dialect.prepare(wanted);
  made.dropped = std::move(prepared.dropped);
  made.reasoning_left_out = prepared.reasoning_left_out;
  made.tier = prepared.tier;
  if (asked.state.is_unsaid && form.format != asked.format) made.dropped.emplace_back("store");
  made.dropped.insert(made.dropped.end(), form.dropped.begin(), form.dropped.end());
  if (form.format != asked.format)
    made.dropped = proxy::in_client_names(std::move(made.dropped), *asked.body, asked.format);
  add_hint(wanted, target, question, prepared, made.dropped);

  proxy::stream_settings settings;
  settings.format = form.format;
  settings.client = asked.format;
  constexpr std::size_t prefix_bytes = 16;  // space for a prefix such as chatcmpl-, which the dialect may add to the id
  settings.id.reserve(prefix_bytes + question.answer_id.size());
  settings.id = question.answer_id;
  settings.created = unix_seconds();
  settings.model = model;
  if (asked.format == proxy::wire_format::openai_embeddings) settings.vectors = proxy::encoding_asked_for(*asked.body);
  settings.parser = &over_.parser();
  settings.shapes = over_.chunks().shapes_of(provider.name, settings.model, form.format, asked.format);
  const bool is_whole = asked.form == answer_form::whole;
  settings.usage = is_whole || asked.is_shared ? proxy::usage_chunk::wanted : asked.usage;
  settings.passes_whole = is_whole && !asked.is_shared && form.format == asked.format;
  auto exchange = proxy::make_exchange(over_, provider, target.target.model);
  made.upstream = std::make_unique<proxy::upstream_call>(provider, key, std::move(prepared),
                                                         dialect.open_stream(std::move(settings)), std::move(exchange),
                                                         over_.alarms(), over_.finisher(), secrets_,
                                                         std::move(question.memory));
  return made;
}

std::unique_ptr<proxy::upstream> race_builder::attempt_after_key(const proxy::provider& provider, std::uint64_t refused,
                                                                 credential_upstream::make make) const {
  return std::make_unique<credential_upstream>(credentials_, *provider.key.credentials, provider.name, refused,
                                               over_.alarms(), std::move(make));
}

}  // namespace photofinish::gateway
