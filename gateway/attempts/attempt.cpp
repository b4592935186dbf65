#include "gateway/attempts/attempt.hpp"

#include "gateway/http/date_of_now.hpp"
#include "proxy/dialects/models/client_names.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/make_exchange.hpp"
#include "proxy/upstream_call.hpp"

#include <chrono>
#include <utility>

namespace photofinish::gateway {
made_attempt make_attempt(proxy::outbound& over, const proxy::dialect& dialect, const ask& asked,
                          const race_candidate& chosen, attempt_manner how,
                          std::span<const std::pair<std::string, std::string>> forwarded,
                          const std::string& answer_id, std::shared_ptr<const proxy::redactor> secrets,
                          proxy::memory_share memory) {
  const proxy::provider& provider = *chosen.provider;
  const asked_form form =
      form_for(asked, dialect.speaks(asked.format, provider, chosen.target.model, *asked.body));
  const proxy::attempt_request wanted{form.body, form.format, provider,  chosen.target.model,        chosen.key.key,
                                      forwarded, how.shape,   asked.state.previous_there, how.reasoning,
                                      form.format != asked.format, how.is_continued,  asked.state.is_unsaid,
                                      how.known.get()};
  proxy::prepared_request prepared = dialect.prepare(wanted);
  made_attempt made;
  made.dropped = std::move(prepared.dropped);
  made.reasoning_left_out = prepared.reasoning_left_out;
  if (asked.state.is_unsaid && form.format != asked.format) made.dropped.emplace_back("store");
  made.dropped.insert(made.dropped.end(), form.dropped.begin(), form.dropped.end());
  if (form.format != asked.format)
    made.dropped = proxy::in_client_names(std::move(made.dropped), *asked.body, asked.format);

  proxy::stream_settings settings;
  settings.format = form.format;
  settings.client = asked.format;
  settings.id = answer_id;
  settings.created = unix_seconds();
  settings.model = chosen.target.model;
  if (asked.format == proxy::wire_format::openai_embeddings) settings.vectors = proxy::encoding_asked_for(*asked.body);
  settings.parser = &over.parser();
  const bool is_whole = asked.form == answer_form::whole;
  settings.usage = is_whole || asked.is_shared ? proxy::usage_chunk::wanted : asked.usage;
  settings.passes_whole = is_whole && !asked.is_shared && form.format == asked.format;
  auto exchange = proxy::make_exchange(over, provider, chosen.target.model);
  made.upstream = std::make_unique<proxy::upstream_call>(provider, chosen.key.key, std::move(prepared),
                                                         dialect.open_stream(std::move(settings)), std::move(exchange),
                                                         over.alarms(), over.finisher(), std::move(secrets),
                                                         std::move(memory));
  return made;
}

}  // namespace photofinish::gateway
