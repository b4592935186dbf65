// What clients speak: one API reads its requests, writes its answers, words its errors. [pure]
// Stateless; lives as long as the program.
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

// A request whose body is a form.
struct sent_form {
  std::string body;               // whatever the client sent
  std::string_view content_type;  // it holds the boundary
  std::string_view path_model;    // that the path names: it counts before the form's own; empty: none
};

inline constexpr std::string_view waiting_comment = ": waiting\n\n";

class api {
 public:
  virtual ~api() = default;

  virtual std::string_view path() const = 0;          // behind /v1, as "/chat/completions"
  virtual metrics::endpoint label() const = 0;        // in metrics and the log

  // Where its clients look for the request's id, beside x-request-id; empty: nowhere.
  virtual std::string_view id_header() const { return {}; }

  // `body` is whatever the client sent; `parser` is lent for the call. A long body takes long: see long_work.hpp.
  virtual std::variant<parsed_request, api_error> read(std::string body, proxy::tolerant_parser& parser) const = 0;

  // Where requests are forms, this is called in place of read().
  virtual bool takes_forms() const { return false; }
  virtual std::variant<parsed_request, api_error> read_form(sent_form) const {
    return bad_request("this endpoint takes JSON and not a form");
  }

  // For one answer to that request. What is lent outlives the writer.
  virtual std::unique_ptr<answer_writer> writer(const parsed_request& request, answer_identity identity) const = 0;

  // What a silent stream shows now and then: an event of the API's own, or else a comment. Ends with an empty line.
  virtual std::string_view sign_of_life() const { return waiting_comment; }

  // The body of a response with an error, as JSON. By default OpenAI's.
  virtual std::string error_json(const api_error& error) const { return to_json(error); }
};

}  // namespace photofinish::gateway
