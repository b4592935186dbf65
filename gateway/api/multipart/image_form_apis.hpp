// OpenAI's image edits and variations: the request is a multipart form with images, and the answer contains images.
// [pure]
#pragma once

#include "gateway/api/multipart/form_request.hpp"

namespace photofinish::gateway {

class image_edits_api final : public form_api {
 public:
  std::string_view path() const override { return "/images/edits"; }
  metrics::endpoint label() const override { return metrics::endpoint::image_edits; }
  std::variant<parsed_request, api_error> read_form(sent_form sent) const override;
};

class image_variations_api final : public form_api {
 public:
  std::string_view path() const override { return "/images/variations"; }
  metrics::endpoint label() const override { return metrics::endpoint::image_variations; }
  std::variant<parsed_request, api_error> read_form(sent_form sent) const override;
};

}  // namespace photofinish::gateway
