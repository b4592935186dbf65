// APIs whose JSON requests pass unchanged and whose answers come in one piece. They are OpenAI's embeddings,
// moderations and images, and the rerank API of Cohere, Jina and vLLM. [pure]
#pragma once

#include "gateway/api/api.hpp"
#include "gateway/api/unstreamed/whole_request.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

class whole_api : public api {
 public:
  std::string_view path() const override { return path_; }
  metrics::endpoint label() const override { return label_; }

  std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const override;
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;

 protected:
  // Checks the request members that are specific to one API, and adds missing members.
  using completion = std::optional<api_error> (*)(parsed_request&);

  // `path` and the texts in `expected` are not copied. They must stay valid as long as the program runs.
  whole_api(std::string_view path, metrics::endpoint label, const whole_request& expected, completion complete)
      : path_(path), label_(label), expected_(expected), complete_(complete) {}

 private:
  std::string_view path_;
  metrics::endpoint label_;
  whole_request expected_;
  completion complete_;
};

// The embeddings API. It converts answers to the encoding that the client asked for.
class embeddings_api final : public whole_api {
 public:
  embeddings_api();
  std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const override;
};

class rerank_api final : public whole_api {
 public:
  rerank_api();
};

class moderations_api final : public whole_api {
 public:
  moderations_api();
};

class images_api final : public whole_api {
 public:
  images_api();
};

}  // namespace photofinish::gateway
