// Edits a request of the chat or Responses API according to one model's rules for efforts, thinking, tools and ids.
// body_editor (openai_dialect.cpp) drops the parameters that the model refuses while thinking is on. [pure]
#pragma once

#include "proxy/dialects/models/responses_choice.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/model_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The objects to which model_edits refers. They must outlive model_edits.
struct edited_request {
  const openai_facts& model;
  const client_body& body;
  wire_format format;
  bool is_translated = false;
  bool is_streamed = false;
  json_edits& edits;
  std::vector<std::string>& dropped;
};

class model_edits {
 public:
  explicit model_edits(const edited_request& of);

  // Edits one member of the request. The caller must call this function once for each member. Returns true if the
  // member needs no other edits.
  bool edit(const json_member& member, std::string_view key);

  // Adds the members that the model requires. The caller must call edit() for every member first.
  void finish();

 private:
  bool edit_chat(const json_member& member, std::string_view key);
  bool edit_effort(const json_member& member);
  bool edit_thinking(const json_member& member);
  void say_none(const json_member& thinking);
  bool edit_reasoning(const json_member& member);
  bool leave_out_tools(const json_member& member, std::string_view key);
  void edit_tools(std::string_view list);
  void edit_ids(std::string_view messages);
  void edit_length(const json_member& member);
  std::string fit(const std::string& effort) const;
  std::string nearest(const std::string& effort) const;
  bool takes(std::string_view effort) const;
  void add(std::string_view key, std::string_view value);
  void note(std::string_view name);

  bool is_chat() const { return of_.format == wire_format::openai_chat; }

  const edited_request of_;
  const openai_facts& model_;
  asked_reasoning asked_;
  bool must_be_off_ = false;      // true if thinking must be turned off, because the request forces a tool call
  bool turns_off_ = false;        // true if thinking is turned off by a separate member of the request
  bool has_no_thinking_ = false;  // true if any member of the request turns thinking off
};

// Returns the first member that affects the answer and that this model refuses, or an empty view. The returned name is
// valid until the program ends.
std::string_view refused_by_model(const openai_facts& model, const client_body& body, wire_format format,
                                  const provider& target);

}  // namespace photofinish::proxy
