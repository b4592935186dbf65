#include "proxy/dialects/openai/chunks/chunk_writer.hpp"

#include "proxy/json/json_text.hpp"

namespace photofinish::proxy {

void chunk_writer::begin() {
  is_begun_ = true;
  text_.assign("{").append(identity_).append(",\"choices\":[");
}

void chunk_writer::add_choice(std::string_view index, std::string_view said, std::string_view finish,
                              std::string_view others) {
  if (is_begun_) text_.push_back(',');
  else begin();
  text_.append("{\"index\":").append(index).append(",\"").append(form_->said).append("\":").append(said).append(others);
  text_.append(",\"finish_reason\":").append(finish).append("}");
}

std::string_view chunk_writer::chunk(std::string_view others) {
  if (!is_begun_) begin();
  text_.append("]").append(others).append("}");
  text_.reserve(text_.size() + readable_behind);
  is_begun_ = false;
  return text_;
}

std::string_view chunk_writer::usage_chunk(std::string_view usage) {
  return chunk(std::string(",\"usage\":").append(usage));
}

}  // namespace photofinish::proxy
