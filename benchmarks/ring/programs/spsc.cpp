// A queue from one process to another, as a floor for what such a queue costs on
// this machine: the records of tenon's ring (RING.md) without its wake-ups, its
// checks and its end. Both sides poll.
//
//	spsc SKIP TIMED SIZE CAPACITY BATCH copied|inplace
//
// writes SKIP + TIMED + SKIP messages in a child and prints how many nanoseconds
// reading the middle ones took.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

[[noreturn]] void fail(const char *why, uint64_t number = 0) {
	std::fprintf(stderr, "%s (%llu)\n", why, static_cast<unsigned long long>(number));
	std::exit(1);
}

// What both processes see; the data follows.
struct Shared {
	alignas(128) std::atomic<uint64_t> head{0}; // bytes published
	alignas(128) std::atomic<uint64_t> tail{0}; // bytes given back
	alignas(128) char data[1];
};

constexpr uint32_t kData = 1, kPadding = 2;

uint64_t record(uint64_t length) { return 8 + ((length + 7) & ~uint64_t{7}); }

// Waits a moment, and lets others run now and then.
class Backoff {
public:
	void pause() {
		if (++turns_ % 1024 == 0) {
			sched_yield();
			return;
		}
#if defined(__x86_64__)
		_mm_pause();
#endif
	}

	unsigned turns() const { return turns_; }

private:
	unsigned turns_ = 0;
};

void putHeader(char *at, uint32_t length, uint32_t kind) {
	uint64_t word = uint64_t{kind} << 32 | length;
	std::memcpy(at, &word, sizeof word);
}

class Writer {
public:
	Writer(Shared *shared, uint64_t capacity) : shared_(shared), capacity_(capacity) {}

	// Returns where a message of so many bytes goes. Waits for room.
	char *reserve(uint32_t length) {
		uint64_t left = capacity_ - (head_ & (capacity_ - 1));
		uint64_t need = record(length), padding = left < need ? left : 0;
		if (capacity_ - (head_ - tail_) < padding + need)
			waitForRoom(padding + need);
		if (padding) {
			putHeader(at(head_), padding - 8, kPadding);
			head_ += padding;
		}
		return at(head_) + 8;
	}

	void commit(uint32_t length) {
		putHeader(at(head_), length, kData);
		head_ += record(length);
	}

	void publish() { shared_->head.store(head_, std::memory_order_release); }

private:
	char *at(uint64_t index) { return shared_->data + (index & (capacity_ - 1)); }

	void waitForRoom(uint64_t need) {
		publish();
		for (Backoff backoff; capacity_ - (head_ - tail_) < need; backoff.pause())
			tail_ = shared_->tail.load(std::memory_order_acquire);
	}

	Shared *shared_;
	uint64_t capacity_, head_ = 0, tail_ = 0;
};

class Reader {
public:
	Reader(Shared *shared, uint64_t capacity, pid_t writer) : shared_(shared), capacity_(capacity), writer_(writer) {}

	// Returns the next message, which is lent until the next call.
	const char *next(uint32_t &length) {
		tail_ = next_;
		if (tail_ == head_)
			waitForMore();
		else if (tail_ - returned_ >= capacity_ / 8)
			giveBack();
		uint64_t word = load(tail_);
		if (word >> 32 == kPadding) {
			tail_ += record(static_cast<uint32_t>(word));
			word = load(tail_);
		}
		length = static_cast<uint32_t>(word);
		next_ = tail_ + record(length);
		return at(tail_) + 8;
	}

private:
	const char *at(uint64_t index) { return shared_->data + (index & (capacity_ - 1)); }

	uint64_t load(uint64_t index) {
		uint64_t word;
		std::memcpy(&word, at(index), sizeof word);
		return word;
	}

	void giveBack() {
		shared_->tail.store(tail_, std::memory_order_release);
		returned_ = tail_;
	}

	void waitForMore() {
		giveBack();
		for (Backoff backoff; (head_ = shared_->head.load(std::memory_order_acquire)) == tail_; backoff.pause())
			if (backoff.turns() % 65536 == 65535 && waitpid(writer_, nullptr, WNOHANG) != 0 &&
			    shared_->head.load(std::memory_order_acquire) == tail_)
				fail("the writer ended too early");
	}

	Shared *shared_;
	uint64_t capacity_;
	pid_t writer_;
	uint64_t tail_ = 0, next_ = 0, head_ = 0, returned_ = 0;
};

// Each message has its number in its first and in its last four bytes.
void stamp(char *message, uint32_t size, uint32_t number) {
	std::memcpy(message, &number, 4);
	std::memcpy(message + size - 4, &number, 4);
}

void check(const char *message, uint32_t length, uint32_t size, uint32_t number) {
	uint32_t first, last;
	std::memcpy(&first, message, 4);
	std::memcpy(&last, message + length - 4, 4);
	if (length != size || first != number || last != number)
		fail("a message is not what was written", number);
}

} // namespace

int main(int argc, char **argv) {
	if (argc != 7)
		fail("usage: spsc SKIP TIMED SIZE CAPACITY BATCH copied|inplace");
	const uint64_t skip = std::strtoull(argv[1], nullptr, 10), timed = std::strtoull(argv[2], nullptr, 10);
	const uint32_t size = std::strtoul(argv[3], nullptr, 10);
	const uint64_t capacity = std::strtoull(argv[4], nullptr, 10), batch = std::strtoull(argv[5], nullptr, 10);
	const bool inPlace = std::strcmp(argv[6], "inplace") == 0;

	void *memory = mmap(nullptr, sizeof(Shared) + capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		fail("mmap");
	auto *shared = new (memory) Shared;
	std::vector<char> buffer(size);

	const pid_t parent = getpid(), child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		Writer writer(shared, capacity);
		for (uint64_t number = 0; number < skip + timed + skip; number++) {
			char *message = writer.reserve(size);
			if (inPlace) {
				stamp(message, size, number);
			} else {
				stamp(buffer.data(), size, number);
				std::memcpy(message, buffer.data(), size);
			}
			writer.commit(size);
			if (number % batch == batch - 1)
				writer.publish();
		}
		writer.publish();
		_exit(0);
	}

	Reader reader(shared, capacity, child);
	uint64_t number = 0;
	auto readTo = [&](uint64_t end) {
		for (; number < end; number++) {
			uint32_t length;
			const char *message = reader.next(length);
			if (!inPlace) {
				if (length > size)
					fail("a message is too long", number);
				std::memcpy(buffer.data(), message, length);
				message = buffer.data();
				asm volatile("" : : "r"(message) : "memory"); // the copy is made
			}
			check(message, length, size, number);
		}
	};
	readTo(skip);
	const auto begin = std::chrono::steady_clock::now();
	readTo(skip + timed);
	const auto took = std::chrono::steady_clock::now() - begin;
	readTo(skip + timed + skip);
	waitpid(child, nullptr, 0);
	std::printf("%lld\n", static_cast<long long>(std::chrono::nanoseconds(took).count()));
}
