#include "proxy/providers/credential_source.hpp"

#include "proxy/providers/url.hpp"

namespace photofinish::proxy {
namespace {

std::string place_of(const credential_step& step) {
  const std::string at = step.url.host.empty() ? "" : " at " + to_string(step.url);
  switch (step.place) {
    case credential_place::google_file:
      return "the file " + step.file;
    case credential_place::google_metadata:
      return "Google's metadata server" + at;
    case credential_place::entra_secret:
      return "the client " + step.name + " and its secret" + at;
    case credential_place::entra_token_file:
      return "the client " + step.name + " with the token in " + step.file + at;
    case credential_place::entra_imds:
      return "the managed identity" + (step.name.empty() ? "" : " " + step.name) + at;
    case credential_place::aws_profile:
      return "the profile '" + step.name + "' in " + step.file + " and " + step.second_file;
    case credential_place::aws_container:
      return "the container's credentials" + at;
    case credential_place::aws_instance:
      return "the instance's role (IMDSv2)" + at;
  }
  return {};
}

}  // namespace

std::string describe(const credential_step& step) {
  return step.named_by.empty() ? place_of(step) : place_of(step) + " (" + step.named_by + ")";
}

}  // namespace photofinish::proxy
