#include "metrics/names.hpp"

#include <utility>

namespace photofinish::metrics {

std::string_view to_string(metric_kind kind) {
  switch (kind) {
    case metric_kind::counter: return "counter";
    case metric_kind::gauge: return "gauge";
    case metric_kind::histogram: return "histogram";
  }
  return "counter";
}

std::string_view gen_ai_provider_name(std::string_view provider) {
  // Well-known values of gen_ai.provider.name in OpenTelemetry's semantic conventions.
  static constexpr std::pair<std::string_view, std::string_view> well_known[] = {
      {"azure", "azure.ai.openai"},
      {"bedrock", "aws.bedrock"},
      {"gemini", "gcp.gemini"},
      {"mistral", "mistral_ai"},
      {"moonshot", "moonshot_ai"},
      {"vertex", "gcp.vertex_ai"},
      {"xai", "x_ai"},
  };
  for (const auto& [ours, theirs] : well_known)
    if (provider == ours) return theirs;
  return provider;
}

}  // namespace photofinish::metrics
