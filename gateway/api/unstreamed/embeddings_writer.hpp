// An answer with embeddings: as it came where its encoding is the one asked for, else converted. [pure]
#pragma once

#include "gateway/api/unstreamed/whole_writer.hpp"
#include "proxy/dialects/vector_encoding.hpp"

#include <cstddef>
#include <optional>

namespace photofinish::gateway {

class embeddings_writer final : public whole_writer {
 public:
  // Without `wanted`, an encoding that only providers know, everything passes.
  explicit embeddings_writer(std::optional<proxy::vector_encoding> wanted)
      : whole_writer(proxy::wire_format::openai_embeddings), wanted_(wanted) {}

  proxy::result<void> add(const proxy::stream_event& event, outgoing& to) override;
  bool is_long() const override;
  proxy::result<void> make_ready() override;
  std::size_t held_bytes() const override;

 private:
  std::optional<proxy::vector_encoding> wanted_;
  bool is_other_ = false;  // the answer may be in the other encoding
};

}  // namespace photofinish::gateway
