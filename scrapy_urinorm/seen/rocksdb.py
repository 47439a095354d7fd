"""How RocksDB is set up for fingerprints."""

from __future__ import annotations

from typing import Any

# chosen together for constant memory, 300 to 400 MB however many fingerprints (docs/seen.md has the measurement)
_CACHE_BYTES = 192 << 20
_MEMTABLE_BYTES = 32 << 20
_METADATA_BLOCK_BYTES = 4096
_OPEN_FILES = 256
_BLOOM_BITS = 10


def options() -> Any:
    """Point lookups of random keys, most not there: Bloom filters in a bounded cache, nothing compressed.

    Indexes and filters in partitions: whole ones of a large file are megabytes, of which a shard of the cache holds one
    or two, so that with 50 million keys nearly every lookup had to read another one.
    """
    from rocksdict import (
        BlockBasedIndexType,
        BlockBasedOptions,
        Cache,
        DataBlockIndexType,
        DBCompactionStyle,
        DBCompressionType,
        DBRecoveryMode,
        Options,
    )

    table = BlockBasedOptions()
    table.set_block_cache(Cache(_CACHE_BYTES))
    table.set_bloom_filter(_BLOOM_BITS, block_based=False)
    table.set_index_type(BlockBasedIndexType.two_level_index_search())
    table.set_partition_filters(True)
    table.set_metadata_block_size(_METADATA_BLOCK_BYTES)
    table.set_pin_top_level_index_and_filter(True)
    table.set_format_version(5)
    table.set_cache_index_and_filter_blocks(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)
    table.set_data_block_index_type(DataBlockIndexType.binary_and_hash())
    found = Options(raw_mode=True)
    found.create_if_missing(True)
    found.set_block_based_table_factory(table)
    found.set_compression_type(DBCompressionType.none())
    found.set_compaction_style(DBCompactionStyle.universal())
    found.set_write_buffer_size(_MEMTABLE_BYTES)
    found.set_memtable_whole_key_filtering(True)
    found.set_memtable_prefix_bloom_ratio(0.1)
    found.set_max_background_jobs(2)
    found.set_max_open_files(_OPEN_FILES)
    found.set_bytes_per_sync(1 << 20)
    # a torn tail of the log is what a kill leaves; anything else is damage and must be said
    found.set_wal_recovery_mode(DBRecoveryMode.tolerate_corrupted_tail_records())
    found.set_keep_log_file_num(2)
    found.set_stats_dump_period_sec(0)
    found.set_stats_persist_period_sec(0)
    return found
