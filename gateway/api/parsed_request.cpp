#include "gateway/api/parsed_request.hpp"

namespace photofinish::gateway {

asked_form form_for(const parsed_request& asked, proxy::wire_format spoken) {
  if (asked.format == spoken || !asked.others) return {asked.format, asked.body};
  const proxy::translated_request* made = asked.others->in(spoken);
  if (made == nullptr) return {asked.format, asked.body};
  return {spoken, made->body, made->dropped, made->unsupported};
}

}  // namespace photofinish::gateway
