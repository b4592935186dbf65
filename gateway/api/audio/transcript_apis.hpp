// OpenAI's APIs for transcriptions and translations: the request is a multipart form with audio, and the answer is the
// spoken text. [pure]
#pragma once

#include "gateway/api/multipart/form_request.hpp"

namespace photofinish::gateway {

class transcriptions_api final : public form_api {
 public:
  std::string_view path() const override { return "/audio/transcriptions"; }
  metrics::endpoint label() const override { return metrics::endpoint::audio_transcriptions; }
  std::variant<parsed_request, api_error> read_form(sent_form sent) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

class translations_api final : public form_api {
 public:
  std::string_view path() const override { return "/audio/translations"; }
  metrics::endpoint label() const override { return metrics::endpoint::audio_translations; }
  std::variant<parsed_request, api_error> read_form(sent_form sent) const override;
};

}  // namespace photofinish::gateway
