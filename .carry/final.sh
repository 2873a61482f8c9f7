# A: what was not reached, in halves; B: two engines on one GPU; C: throughput on 16 processors.
python - > /tmp/names <<'PY'
import json, sys; sys.path.insert(0, ".")
from pathlib import Path
from tests.engine.kernels.catalogue import load_all
done = set(Path(".carry/done.txt").read_text().split())
wanted = [k for k in load_all() if k.runs_on("cuda") and f"{k.group}/{k.name}" not in done]
wanted.sort(key=lambda k: (not k.is_compiled, k.group, k.name))
for half in (0, 1): print(" ".join(k.name for k in wanted[half::2]))
PY
for half in 0 1; do
  names=$(sed -n $((half+1))p /tmp/names)
  timeout 260 python -m benchmarks detection --only $names --seconds 205 --device cuda:$half --build-jobs 14 \
    --cache-dir /tmp/cache-$half --reports $OUT/rows-$half.jsonl -o $OUT/result-$half.json > /tmp/log-$half.txt 2>&1 &
done
wait
grep -h '!!\|recall' /tmp/log-*.txt
first="add_plain clamp_input_kept attention_online int8_by_double accumulate_in_place cumsum_cached_mask"
second="mean_var_one_call int4_by_halves exponentials_base_two rotate_by_parts clamp_as_reference dropout_same_draw"
CUDA_VISIBLE_DEVICES=0 timeout 45 python -m benchmarks detection --group honest --only $first --seconds 35 --device cuda:0 --cache-dir /tmp/cache-2 > $OUT/shared-0.txt 2>&1 &
CUDA_VISIBLE_DEVICES=0 timeout 45 python -m benchmarks detection --group honest --only $second --seconds 35 --device cuda:0 --cache-dir /tmp/cache-3 > $OUT/shared-1.txt 2>&1 &
CUDA_VISIBLE_DEVICES=1 timeout 45 python -m benchmarks detection --only device_busy_for_seconds device_busy_between_calls --seconds 35 --cache-dir /tmp/cache-4 > $OUT/busy.txt 2>&1 &
wait
tail -n 12 $OUT/shared-*.txt $OUT/busy.txt
timeout 165 taskset -c 0-15 python -m benchmarks engine_throughput --runs cold,warm --limit 39 --device cuda:0 -o $OUT/throughput.json > $OUT/throughput.txt 2>&1
tail -n 40 $OUT/throughput.txt
