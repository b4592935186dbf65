#include "gateway/api/root_page.hpp"

#include "proxy/json/json_text.hpp"

namespace photofinish::gateway {

std::string root_page(std::string_view version, listener_role role, std::span<const api* const> apis) {
  std::string page = R"({"service":"photofinish")";
  page += R"(,"description":"a racing gateway to LLM providers; speaks OpenAI's API and Anthropic's Messages")";
  if (!version.empty()) page += R"(,"version":)" + proxy::json_quote(version);
  page += R"(,"serves":[)";
  const char* separator = "";
  for (const std::string& each : served_requests(role, apis)) {
    page += separator + proxy::json_quote(each);
    separator = ",";
  }
  return page + "]}\n";
}

}  // namespace photofinish::gateway
