# Runs detection in two halves, one a GPU: halves.sh SECONDS GROUP...
seconds=$1; shift
groups=$(for g in "$@"; do echo --group $g; done)
python - "$@" > /tmp/names <<'PY'
import sys; sys.path.insert(0, ".")
from tests.engine.kernels.catalogue import load_all
wanted = [k for k in load_all() if k.runs_on("cuda") and k.group in sys.argv[1:]]
wanted.sort(key=lambda k: (k.group, not k.is_compiled, k.name))
for half in (0, 1): print(" ".join(k.name for k in wanted[half::2]))
PY
for half in 0 1; do
  names=$(sed -n $((half+1))p /tmp/names)
  timeout $((seconds+60)) python -m benchmarks detection $groups --only $names --seconds $seconds --device cuda:$half --build-jobs 12 \
    --cache-dir /tmp/cache-$half --reports $OUT/rows-$half.jsonl -o $OUT/result-$half.json > $OUT/log-$half.txt 2>&1 &
done
wait
grep -h '!!\|recall' $OUT/log-*.txt
