#include "gateway/store/store_reply.hpp"

#include "proxy/words/parse_number.hpp"

#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#include <new>
#include <utility>

namespace photofinish::gateway {
namespace {

// Creates a reply object. The C code of hiredis calls this function, so no exception may leave it. If this function
// returns null, hiredis stops reading.
template <class Fill>
void* made(const redisReadTask* task, Fill fill) noexcept {
  try {
    store_reply own;
    fill(own);
    if (task->parent == nullptr) return new store_reply(std::move(own));
    auto& list = static_cast<store_reply*>(task->parent->obj)->list;
    store_reply& placed = list.at(static_cast<std::size_t>(task->idx));
    placed = std::move(own);
    return &placed;
  } catch (...) {
    return nullptr;
  }
}

void* make_text(const redisReadTask* task, char* bytes, std::size_t size) {
  return made(task, [&](store_reply& own) {
    own.kind = task->type == REDIS_REPLY_ERROR    ? reply_kind::error
               : task->type == REDIS_REPLY_STATUS ? reply_kind::status
                                                  : reply_kind::text;
    own.text.assign(bytes, size);
  });
}

void* make_list(const redisReadTask* task, int elements) {
  auto& counted = *static_cast<std::size_t*>(task->privdata);
  const auto wanted = static_cast<std::size_t>(elements);
  if (elements < 0 || wanted > reply_reader::most_elements - counted) return nullptr;
  counted += wanted;
  return made(task, [&](store_reply& own) {
    own.kind = reply_kind::list;
    own.list.resize(wanted);
  });
}

void* make_integer(const redisReadTask* task, long long value) {
  return made(task, [&](store_reply& own) {
    own.kind = reply_kind::integer;
    own.integer = value;
  });
}

void* make_nil(const redisReadTask* task) {
  return made(task, [](store_reply&) {});
}

// Hiredis calls drop() only for a complete reply, not for the replies inside it.
void drop(void* reply) { delete static_cast<store_reply*>(reply); }

redisReplyObjectFunctions makers{make_text, make_list, make_integer, make_nil, drop};

struct command_release {
  void operator()(char* text) const noexcept { redisFreeCommand(text); }
};

}  // namespace

std::optional<std::int64_t> store_reply::number() const {
  if (kind == reply_kind::integer) return integer;
  if (kind != reply_kind::text) return std::nullopt;
  return proxy::parse_number<std::int64_t>(text);
}

std::string written(const std::vector<store_command>& commands) {
  std::string all;
  std::vector<const char*> words;
  std::vector<std::size_t> sizes;
  for (const store_command& each : commands) {
    words.clear();
    sizes.clear();
    for (const std::string& word : each) words.push_back(word.data()), sizes.push_back(word.size());
    char* text = nullptr;
    const int size = redisFormatCommandArgv(&text, static_cast<int>(words.size()), words.data(), sizes.data());
    const std::unique_ptr<char, command_release> owner(text);
    if (size < 0) throw std::bad_alloc();
    all.append(text, static_cast<std::size_t>(size));
  }
  return all;
}

void reply_reader::release::operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }

reply_reader::reply_reader() : reader_(redisReaderCreateWithFunctions(&makers)) {
  if (!reader_) throw std::bad_alloc();
  reader_->privdata = &elements_;
}

reply_reader::~reply_reader() = default;

bool reply_reader::feed(std::string_view bytes) {
  pending_ += bytes.size();
  if (pending_ > most_bytes) is_broken_ = true;
  if (!is_broken_ && redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) is_broken_ = true;
  return !is_broken_;
}

std::optional<store_reply> reply_reader::next() {
  if (is_broken_) return std::nullopt;
  void* whole = nullptr;
  if (redisReaderGetReply(reader_.get(), &whole) != REDIS_OK) {
    is_broken_ = true;
    return std::nullopt;
  }
  if (whole == nullptr) return std::nullopt;
  const std::unique_ptr<store_reply> owner(static_cast<store_reply*>(whole));
  elements_ = 0;
  pending_ = reader_->len - reader_->pos;
  return std::move(*owner);
}

}  // namespace photofinish::gateway
