// The names of span attributes: from one version of OpenTelemetry's semantic conventions, or this gateway's own names.
// [pure] Users write queries with these names, so existing names must never change. tests/clients compares the names
// with OpenTelemetry's registry.
#pragma once

#include <string_view>

namespace photofinish::gateway::span_names {

inline constexpr std::string_view schema_url = "https://opentelemetry.io/schemas/1.41.1";

inline constexpr std::string_view service_version = "service.version";          // a resource attribute
inline constexpr std::string_view service_instance_id = "service.instance.id";  // a resource attribute
inline constexpr std::string_view request_method = "http.request.method";
inline constexpr std::string_view http_route = "http.route";
inline constexpr std::string_view url_path = "url.path";
inline constexpr std::string_view url_scheme = "url.scheme";
inline constexpr std::string_view response_status_code = "http.response.status_code";
inline constexpr std::string_view error_type = "error.type";
inline constexpr std::string_view server_address = "server.address";
inline constexpr std::string_view server_port = "server.port";
inline constexpr std::string_view operation_name = "gen_ai.operation.name";
inline constexpr std::string_view provider_name = "gen_ai.provider.name";
inline constexpr std::string_view request_model = "gen_ai.request.model";
inline constexpr std::string_view request_stream = "gen_ai.request.stream";
inline constexpr std::string_view time_to_first_chunk = "gen_ai.response.time_to_first_chunk";
inline constexpr std::string_view input_tokens = "gen_ai.usage.input_tokens";
inline constexpr std::string_view output_tokens = "gen_ai.usage.output_tokens";

inline constexpr std::string_view route = "photofinish.route";
inline constexpr std::string_view client = "photofinish.client";
inline constexpr std::string_view team = "photofinish.team";
inline constexpr std::string_view policy = "photofinish.policy";
inline constexpr std::string_view winner = "photofinish.winner";
inline constexpr std::string_view outcome = "photofinish.outcome";
inline constexpr std::string_view cache = "photofinish.cache";
inline constexpr std::string_view request_id = "photofinish.request_id";
inline constexpr std::string_view cost_usd = "photofinish.cost_usd";
inline constexpr std::string_view attempt_target = "photofinish.attempt.target";
inline constexpr std::string_view attempt_outcome = "photofinish.attempt.outcome";
inline constexpr std::string_view attempt_start = "photofinish.attempt.start";
inline constexpr std::string_view attempt_cost_usd = "photofinish.attempt.cost_usd";
inline constexpr std::string_view target = "photofinish.target";
inline constexpr std::string_view reason = "photofinish.reason";

inline constexpr std::string_view first_token = "first_token";        // the event that marks the first token
inline constexpr std::string_view target_skipped = "target_skipped";  // the event that marks a skipped target

}  // namespace photofinish::gateway::span_names
