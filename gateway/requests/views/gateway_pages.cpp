// Writes the pages about the gateway itself: the root page, the pages for probes, the metrics, and the list of models.
#include "gateway/api/models/model_shapes.hpp"
#include "gateway/api/root_page.hpp"
#include "gateway/page/page_document.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/stages/request_limits.hpp"
#include "gateway/requests/views/view_table.hpp"
#include "metrics/open_metrics.hpp"

namespace photofinish::gateway {
namespace {

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

// Reports whether the gateway is ready. If no gateway of the fleet can reach a provider, this gateway still reports
// that it is ready. Otherwise the balancer would remove the whole fleet when the providers are down. If the query is
// `egress=own`, a gateway that reaches no provider is never ready.
shown_page readiness_by(egress_state egress, std::string_view query) {
  if (egress == egress_state::works) return {plain_text, "ok\n"};
  if (egress == egress_state::lost_alone)
    return {plain_text, "no provider can be reached from this gateway\n", 503};
  if (query == "egress=own") return {plain_text, "no provider can be reached\n", 503};
  return {plain_text, "ok, but no provider can be reached\n"};
}

view_answer model_page(const page_visit& visit, std::variant<std::string, api_error> models) {
  if (auto* error = std::get_if<api_error>(&models)) return std::move(*error);
  show_limits(visit.call.worker, *visit.call.limits, visit.who, visit.call.fields);
  return shown_page{"application/json", std::get<std::string>(std::move(models))};
}

}  // namespace

awaited_page show_root(const page_visit& visit) {
  client_call& call = visit.call;
  call.fields.add("vary", "accept");
  if (wants_page(visit.request) &&
      serves_page(*call.settings, visit.request, call.listener.address, call.listener.role)) {
    const page_document& page = live_page();
    call.fields.add("content-security-policy", page.policy);
    call.fields.add("x-content-type-options", "nosniff");
    call.fields.add("referrer-policy", "no-referrer");
    call.fields.add("cross-origin-opener-policy", "same-origin");
    call.fields.add("cache-control", "no-cache");
    co_return shown_page{"text/html; charset=utf-8", page.html};
  }
  // Hides the gateway's version if keys are required. A caller with a key can find out the version in other ways.
  const bool shows_version = !call.settings->asks_for_keys() || call.listener.role == listener_role::admin;
  const std::string version = shows_version ? call.worker.keeper.version() : std::string();
  co_return shown_page{"application/json", root_page(version, call.listener.role, call.worker.speaks.apis)};
}

awaited_page show_liveness(const page_visit&) { co_return shown_page{plain_text, "ok\n"}; }

awaited_page show_readiness(const page_visit& visit) {
  const worker_context& worker = visit.call.worker;
  const config& settings = *visit.call.settings;
  if (worker.state != service_state::serving) co_return shown_page{plain_text, "draining\n", 503};
  if (!worker.tokens.is_ready(settings) || settings.is_first_reading())
    co_return shown_page{plain_text, "starting\n", 503};
  co_return readiness_by(worker.keeper.egress(), visit.request.query);
}

awaited_page show_metrics(const page_visit& visit) {
  const bool takes_open_metrics = metrics::takes_open_metrics(visit.request.field("accept"));
  metrics::rendered_page page = co_await visit.call.worker.keeper.metrics_page(takes_open_metrics);
  co_return shown_page{page.content_type, std::move(page.text)};
}

awaited_page show_models(const page_visit& visit) {
  const std::chrono::sys_seconds created = visit.call.worker.keeper.started_at();
  co_return model_page(visit, list_models(*visit.call.settings, visit.who, visit.request, created));
}

awaited_page show_model(const page_visit& visit) {
  const std::chrono::sys_seconds created = visit.call.worker.keeper.started_at();
  co_return model_page(visit,
                   describe_model(*visit.call.settings, visit.who, visit.route.model, visit.request, created));
}

}  // namespace photofinish::gateway
