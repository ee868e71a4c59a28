#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "carom/error.hpp"

namespace carom {

/// Messages between ranks. All ranks run the same program on processors of one kind, so numbers are
/// sent as they are in memory.
using Bytes = std::vector<std::byte>;

/// Writes values to bytes one after the other, or reads them in the same order: numbers, flat
/// structs, texts, lists, and structs with an each_field(value, archive) that calls archive(field,
/// field, ...), for both directions.
class Archive {
 public:
  explicit Archive(Bytes& to) : to_(&to) {}
  explicit Archive(const Bytes& from) : from_(&from) {}

  /// @throws RunError if the bytes end too early
  template <class... T>
  void operator()(T&... values) {
    (move(values), ...);
  }
  template <class T>
  T get() {
    T value{};
    move(value);
    return value;
  }

 private:
  template <class T>
  void move(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      move(&value, sizeof value);
    } else if constexpr (requires { value.data(); }) {
      using Entry = std::remove_cvref_t<decltype(*value.data())>;
      auto size = static_cast<std::uint64_t>(value.size());
      move(size);
      if constexpr (std::is_trivially_copyable_v<Entry>) {
        if (from_ != nullptr) value.resize(checked(size, sizeof(Entry)));
        move(value.data(), value.size() * sizeof(Entry));
      } else {
        if (from_ != nullptr) value.resize(checked(size, 1));
        for (Entry& entry : value) move(entry);
      }
    } else {
      each_field(value, *this);
    }
  }
  void move(void* data, std::size_t size) {
    if (size == 0) return;
    if (from_ != nullptr) {
      checked(size, 1);
      std::memcpy(data, from_->data() + at_, size);
    } else {
      to_->resize(at_ + size);
      std::memcpy(to_->data() + at_, data, size);
    }
    at_ += size;
  }
  std::size_t checked(std::uint64_t count, std::size_t entry_bytes) const {
    if (count <= (from_->size() - at_) / entry_bytes) return count;
    throw RunError("a message between ranks ends too early");
  }

  Bytes* to_ = nullptr;
  const Bytes* from_ = nullptr;
  std::size_t at_ = 0;
};

template <class... T>
Bytes pack(T... values) {
  Bytes bytes;
  Archive archive(bytes);
  archive(values...);
  return bytes;
}

/// Reads the packed value, or the first one.
template <class T>
T unpack(const Bytes& bytes) {
  return Archive(bytes).get<T>();
}

}  // namespace carom
