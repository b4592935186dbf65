// A writer that records opaque reasoning (reasoning that only its provider can read) when the client gets it. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class opaque_recorder final : public answer_writer {
 public:
  struct recording {
    std::function<std::uint64_t(std::string_view opaque)> id_of;
    std::function<void(std::uint64_t id)> note;
  };
  // Determines when the client gets the answer: event by event, or as a whole at the end.
  enum class given { by_event, at_end };

  opaque_recorder(std::unique_ptr<answer_writer> writer, recording into, given when)
      : writer_(std::move(writer)), into_(std::move(into)), when_(when) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  bool is_long() const override { return writer_->is_long(); }
  proxy::result<void> make_ready() override { return writer_->make_ready(); }
  void end(outgoing& to) override;
  void fail(const api_error& error, outgoing& to) override { writer_->fail(error, to); }
  std::size_t held_bytes() const override { return writer_->held_bytes() + ids_.capacity() * sizeof(std::uint64_t); }
  void keep_less() override { writer_->keep_less(); }

 private:
  void take(std::string_view opaque);
  void note_all();

  std::unique_ptr<answer_writer> writer_;
  recording into_;
  given when_;
  std::vector<std::uint64_t> ids_;  // the ids of opaque reasoning that is not recorded yet
  std::size_t count_ = 0;
};

}  // namespace photofinish::gateway
