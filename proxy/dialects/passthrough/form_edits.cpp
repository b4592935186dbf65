#include "proxy/dialects/passthrough/form_edits.hpp"

#include "proxy/providers/parameters.hpp"
#include "proxy/words/contains.hpp"

#include <string_view>

namespace photofinish::proxy {
namespace {

// Returns a form part with the name of the model. Some clients send the model in the URL's path instead of the form. In
// that case, this part is added to the form.
std::string model_part(std::string_view boundary, std::string_view model) {
  std::string part("--");
  part.append(boundary).append("\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\n");
  return part.append(model).append("\r\n");
}

}  // namespace

// Returns the content type with the boundary. A boundary with special characters is quoted, and every reader accepts
// the quotes.
std::string content_type_of(const client_body& form) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+'";
  const bool is_token = form.boundary().find_first_not_of(letters) == std::string_view::npos;
  const std::string_view quote = is_token ? "" : "\"";
  std::string type("multipart/form-data; boundary=");
  return type.append(quote).append(form.boundary()).append(quote);
}

void edit_form(const attempt_request& request, prepared_request& prepared) {
  const behaviour& behaves = request.target.behaves;
  json_edits& edits = prepared.body.edits();
  for (const json_member& field : request.body->members().members()) {
    const bool is_dropped = contains(behaves.drop_params, field.raw_key);
    // A provider may refuse an unknown parameter even if it has the default value. Omitting the default value changes
    // nothing.
    const bool is_idle = contains(behaves.reject_params, field.raw_key) && !is_meaningful(field.raw_key, field.value);
    if (field.raw_key == "model") edits.replace(field.value, request.model);
    else if (is_dropped || is_idle) edits.remove(field.whole);
    const bool is_news = is_dropped && !contains(prepared.dropped, field.raw_key);
    if (is_news && is_meaningful(field.raw_key, field.value)) prepared.dropped.emplace_back(field.raw_key);
  }
  const client_body& body = *request.body;
  if (body.members().find("model") == nullptr) edits.insert(0, model_part(body.boundary(), request.model));
}

}  // namespace photofinish::proxy
