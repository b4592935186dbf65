// The edits that one model's rules ask for in a request of chat or Responses: efforts, thinking, tools, ids. [pure]
// Which parameters are dropped while it thinks is body_editor's part (openai_dialect.cpp).
#pragma once

#include "proxy/dialects/models/responses_choice.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/model_facts.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The input of the edits. It outlives model_edits.
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

  // Once for each member. True: it is done with.
  bool edit(const json_member& member, std::string_view key);

  // After the members: what the model wants besides.
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
  bool must_be_off_ = false;      // thinking, because a call is forced
  bool turns_off_ = false;        // thinking, by a member of its own
  bool has_no_thinking_ = false;  // asked for, by whichever member
};

// The first member that this model refuses and that carries meaning; empty: there is none. Lives as the program does.
std::string_view refused_by_model(const openai_facts& model, const client_body& body, wire_format format,
                                  const provider& target);

}  // namespace photofinish::proxy
