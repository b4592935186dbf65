// An API that clients call. [pure] The class reads the API's requests, writes its answers and formats its errors. It
// has no state, and its objects live as long as the program.
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/api/api_error.hpp"
#include "gateway/api/parsed_request.hpp"
#include "metrics/outcomes.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace photofinish::proxy {
class tolerant_parser;
}

namespace photofinish::gateway {

// A request whose body is a multipart form.
struct sent_form {
  std::string body;               // the client's body, unchanged and unchecked
  std::string_view content_type;  // the value of the content-type header, which contains the form's boundary
  // The model in the request's path, which overrides the form's model; empty if there is none.
  std::string_view path_model;
};

inline constexpr std::string_view waiting_comment = ": waiting\n\n";

class api {
 public:
  virtual ~api() = default;

  virtual std::string_view path() const = 0;          // the API's path after /v1, such as "/chat/completions"
  virtual metrics::endpoint label() const = 0;        // the API's name in metrics and the log

  // The response header in which clients of this API look for the request's id. The id is also in x-request-id. Empty
  // if there is no such header.
  virtual std::string_view id_header() const { return {}; }

  // Reads a request. `body` is not checked yet. The caller keeps `parser` valid until read() returns. Reading a long
  // body takes much time: see long_work.hpp.
  virtual std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const = 0;

  // True if the API's requests are multipart forms. In that case, the gateway calls read_form() instead of read().
  virtual bool takes_forms() const { return false; }
  virtual std::variant<parsed_request, api_error> read_form(sent_form) const {
    return bad_request("this endpoint accepts JSON, not a form");
  }

  // Returns the writer for one answer to this request. The objects passed by reference must outlive the writer.
  virtual std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const = 0;

  // The text that the gateway sends at intervals while a stream is silent: an event of this API, or a comment. The text
  // ends with an empty line.
  virtual std::string_view sign_of_life() const { return waiting_comment; }

  // Returns the body of an error response, as JSON. By default the error has OpenAI's format.
  virtual std::string error_json(const api_error& error) const { return to_json(error); }
};

}  // namespace photofinish::gateway
