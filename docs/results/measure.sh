#!/usr/bin/env bash
# Everything behind docs/results.md, into a folder: docs/results/measure.sh <folder>. About eight hours of one core; stopped, it goes on where it was.
# The data are looked for where ml-25m-prefix.yaml says. Then: npm run results -- <folder>
set -euo pipefail
out=${1:?name a folder for datasets, models and figures}
here=$(dirname "$0")
nearkin() { npx nearkin "$@"; }
seeds=(1 2 3 4 5)

for split in time random users; do
  [ -d "$out/datasets/$split" ] || nearkin prepare "$here/ml-25m-prefix.yaml" --split $split --out "$out/datasets/$split"
  for seed in "${seeds[@]}"; do
    model="$out/models/$split/default-$seed"
    [ -d "$model" ] || nearkin train "$out/datasets/$split" --seed "$seed" --engine native --resume --out "$model"
  done
done

# what is slow, and no model of ours, has fewer seeds
declare -A rating=([time]="1 2 4" [random]="1 2") paper=([time]=1,2,3,4,5 [random]=1,2,3)

for split in time random; do
  for seed in ${rating[$split]}; do
    model="$out/models/$split/rating-$seed"
    [ -d "$model" ] || nearkin train "$out/datasets/$split" --config "$here/rating-target.yaml" --seed "$seed" --engine native --resume --out "$model"
  done
  for seed in 1 2 3; do
    model="$out/models/$split/siamese-$seed"
    [ -d "$model" ] || nearkin train "$out/datasets/$split" --preset paper --stages siamese --seed "$seed" --engine native --resume --out "$model"
  done
  nearkin report paper --dataset "$out/datasets/$split" --seeds "${paper[$split]}" --config "$here/paper.yaml" --engine native --cache "$out/paper/$split" --out "$out/paper-$split.html"
  nearkin evaluate "$out/datasets/$split" "$out/models/$split"/default-* --popularity 0,0.25,0.5,1,calibrated --out "$out/default-$split.json"
  nearkin evaluate "$out/datasets/$split" "$out/models/$split"/{default,rating}-* "$out/paper/$split"/model-paper-*/ \
    --no-baselines --spe 1,2,3 --engine native --out "$out/learned-$split.json"
  nearkin evaluate "$out/datasets/$split" "$out/models/$split"/{default,siamese}-* --no-baselines --out "$out/siamese-$split.json"
done
nearkin evaluate "$out/datasets/time" "$out/models/time"/default-* --popularity 0,0.25,0.5,1 --base popularity --out "$out/popularity-time.json"
for seed in 1 2; do
  model="$out/models/users/paper-$seed"
  [ -d "$model" ] || nearkin train "$out/datasets/users" --preset paper --config "$here/paper.yaml" --seed "$seed" --engine native --resume --out "$model"
done
for preset in default paper; do
  nearkin report users "$out/models/users/$preset"-* --dataset "$out/datasets/users" --cache "$out/refits" --out "$out/personal-$preset.html"
done
nearkin evaluate "$out/datasets/users" "$out/models/users"/default-* --popularity 0,0.25,0.5,1,calibrated --out "$out/default-users.json"
